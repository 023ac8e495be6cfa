"""The commands of recorded experience: record and convert."""

from __future__ import annotations

import argparse

OUT = "what is written: FILE.npz, FILE.hdf5, minari:NAME, or a folder for a replay store"


def add_record(commands: argparse._SubParsersAction) -> None:
    """Add the command that records experience."""
    command = commands.add_parser(
        "record",
        help="let a policy play, and write its steps as a data set",
        description="Record steps of a random policy, or of a run's, as a data set from which models can be trained.",
    )
    command.add_argument("game", nargs="?", metavar="GAME", help="a game or Gymnasium id (default: that of the run)")
    command.add_argument("--policy", default="random", metavar="random|RUN", help="(default: %(default)s)")
    command.add_argument("--steps", type=int, required=True, help="steps, summed over the environments")
    command.add_argument("--out", required=True, metavar="OUT", help=OUT)
    command.add_argument(
        "--option", nargs="+", default=[], metavar="NAME=VALUE", help="of the environment: num_levels=200 num_envs=8"
    )
    command.add_argument(
        "--levels", default="train", choices=("train", "test"), help="test: those after num_levels (default: train)"
    )
    command.add_argument("--temperature", type=float, default=1.0, help="of a run's policy (default: 1)")
    command.add_argument("--seed", type=int, default=0, help="of episodes and actions (default: %(default)s)")
    command.set_defaults(run=_record)


def _record(options: argparse.Namespace) -> None:
    from worldmodels.datasets import check_free
    from worldmodels.loading.quiet import load_tensorflow

    check_free(options.out)
    load_tensorflow()
    from worldmodels.recordings.record import record, recorded_env

    env = recorded_env(options.game, options.policy, options.option, options.levels)
    record(env, options.policy, options.steps, options.out, options.seed, options.temperature)


def add_convert(commands: argparse._SubParsersAction) -> None:
    """Add the command that converts experience."""
    command = commands.add_parser(
        "convert",
        help="convert recorded experience: of a run, a replay store, npz, HDF5 or Minari",
        description="Write recorded experience in another format, which the name of the target says. No step changes.",
    )
    command.add_argument("source", metavar="SOURCE", help="a run's folder, a replay store, or as OUT")
    command.add_argument("out", metavar="OUT", help=OUT)
    command.set_defaults(run=_convert)


def _convert(options: argparse.Namespace) -> None:
    from contextlib import closing

    from worldmodels.datasets import check_free, open_source, write

    check_free(options.out)
    with closing(open_source(options.source)) as source:
        write(options.out, source)
        spec = source.spec
    print(f"Wrote {spec.steps:,} steps ({spec.num_streams} streams of {spec.length:,}): {options.out}")
