"""The commands that write files for others: record and convert experience, export and publish runs."""

from __future__ import annotations

import argparse

from worldmodels.cli.arguments import add_checkpoint, add_run, add_seed
from worldmodels.core.errors import UserError, counted
from worldmodels.core.output import print_text

OUT = "the data set to write: FILE.npz, FILE.hdf5, minari:NAME, or a folder for a replay store"


def add_record(commands: argparse._SubParsersAction) -> None:
    """Add the command that records experience."""
    command = commands.add_parser(
        "record",
        help="record steps of a policy as a data set",
        description="Record steps of a random policy, or of a run's policy, as a data set for training.",
    )
    command.add_argument(
        "game", nargs="?", metavar="GAME", help="a game or Gymnasium id (default: the game of the run)"
    )
    command.add_argument(
        "--policy", default="random", metavar="random|RUN", help="the policy that plays (default: %(default)s)"
    )
    command.add_argument("--steps", type=int, required=True, help="steps to record, summed over the environments")
    command.add_argument("--out", required=True, metavar="OUT", help=OUT)
    command.add_argument(
        "--option", nargs="+", default=[], metavar="NAME=VALUE", help="of the environment, for example num_levels=200"
    )
    command.add_argument(
        "--levels",
        default="train",
        choices=("train", "test", "unseen"),
        help="train: the first num_levels levels; test: all others; unseen: the others whose layout is none of theirs "
        "(default: %(default)s)",
    )
    command.add_argument("--temperature", type=float, help="sampling temperature of a run's policy (default: 1)")
    add_seed(command)
    command.set_defaults(run=_record)


def _record(options: argparse.Namespace) -> None:
    from worldmodels.datasets import check_free
    from worldmodels.loading.quiet import load_tensorflow

    if options.policy == "random" and options.temperature is not None:
        raise UserError("--temperature is for the policy of a run, and random actions have none: leave it out.")
    check_free(options.out)
    load_tensorflow()
    from worldmodels.recordings.record import record, recorded_env

    temperature = 1.0 if options.temperature is None else options.temperature
    env = recorded_env(options.game, options.policy, options.option, options.levels)
    record(env, options.policy, options.steps, options.out, options.seed, temperature)


def add_convert(commands: argparse._SubParsersAction) -> None:
    """Add the command that converts experience."""
    command = commands.add_parser(
        "convert",
        help="convert recorded experience between a run, a replay store, npz, HDF5 and Minari",
        description="Write recorded experience in another format, which follows from the name of OUT. No step changes, "
        "but for the size of images with --image-size.",
    )
    command.add_argument("source", metavar="SOURCE", help="a run's folder, a replay store, or any format of OUT")
    command.add_argument("out", metavar="OUT", help=OUT)
    command.add_argument(
        "--image-size",
        type=int,
        metavar="PIXELS",
        help="resize images to this width and height, the env.image_size of runs that learn from them (8 to 1024; "
        "default: images stay as they are)",
    )
    command.set_defaults(run=_convert)


def _convert(options: argparse.Namespace) -> None:
    from contextlib import closing

    from worldmodels.datasets import ResizedSource, Source, check_free, open_source, write

    size = options.image_size
    if size is not None and not 8 <= size <= 1024:
        raise UserError(f"--image-size must be between 8 and 1024 pixels. Received {size}.")
    check_free(options.out)
    with closing(open_source(options.source)) as opened:
        source: Source = opened if size is None else ResizedSource(opened, size)
        write(options.out, source)
        spec, notes = source.spec, source.notes
    for note in notes:
        print_text(note)
    print_text(f"Wrote {spec.steps:,} steps ({counted(spec.num_streams, 'stream')} of {spec.length:,}): {options.out}")


def add_export(commands: argparse._SubParsersAction) -> None:
    """Add the command that exports a run."""
    command = commands.add_parser(
        "export",
        help="export a run's policy, world model or both to SavedModel or ONNX",
        description="Export a run's policy, world model or both as functions that other programs call, and describe "
        "them in export.json. The export is compared with the run in the run's environment, and kept only if both give "
        "the same.",
    )
    add_run(command)
    command.add_argument("--out", required=True, metavar="FOLDER", help="the folder to write")
    command.add_argument(
        "--what",
        choices=("policy", "model", "both"),
        default="policy",
        help="policy: an observation gives an action; model: a state and an action give the next state, its frame, "
        "reward and end; both: besides, a state gives the policy's action (default: %(default)s)",
    )
    command.add_argument(
        "--format",
        choices=("savedmodel", "onnx"),
        default="savedmodel",
        help="savedmodel: for TensorFlow; onnx: needs the extra 'onnx' (default: %(default)s)",
    )
    command.add_argument(
        "--num-envs", type=int, default=1, metavar="N", help="environments side by side in a call (default: 1)"
    )
    add_checkpoint(command)
    command.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> None:
    from worldmodels.loading.quiet import load_tensorflow_for

    load_tensorflow_for(options.path)
    from worldmodels.loading.load import load_run

    run = load_run(options.path, options.checkpoint)
    found = run.export(options.out, options.what, options.format, options.num_envs)
    checked = found["checked"]
    print_text(
        f"Wrote the {options.what} as of step {run.step:,}: {options.out}. Of {checked['rows']:,} rows, "
        f"{checked['rows_beyond']} differ from the run's own by more than {checked['tolerance']:g}."
    )


def add_publish(commands: argparse._SubParsersAction) -> None:
    """Add the command that makes a pack or a page of a run."""
    command = commands.add_parser(
        "publish",
        help="make one file or a static page of a run that others can play in",
        description="Make a pack of a run: one file with its weights in 16 bits, its configuration, steps to start "
        "from, an evaluation and a film. It can be given wherever a run's folder can. Or make a page, which plays the "
        "world model in any browser, beside the native game or recorded episodes of another environment.",
    )
    add_run(command)
    kind = command.add_mutually_exclusive_group(required=True)
    kind.add_argument("--out", metavar="FILE", help="the file to write, NAME.world")
    kind.add_argument(
        "--page",
        metavar="FOLDER",
        help="the folder of a static page to write, or to add the world to; needs 'make page' and the extra 'onnx'",
    )
    command.add_argument(
        "--title",
        help='a few words for people, such as "CoinRun, 20 levels" (--out needs them; default of --page: '
        "those of the pack, or the game and the run)",
    )
    command.add_argument("--licence", help="the licence of the weights of a pack (default: MIT)")
    add_checkpoint(command)
    command.set_defaults(run=_publish)


def _publish(options: argparse.Namespace) -> None:
    if options.page and options.licence:
        raise UserError("--licence is that of a pack: leave it out with --page.")
    if options.out and not options.title:
        raise UserError("--out needs --title, a few words for people.")
    from worldmodels.loading.quiet import load_tensorflow_for

    load_tensorflow_for(options.path)
    if options.page:
        from worldmodels.player.publish_page import publish_page

        name = publish_page(options.path, options.page, options.title, options.checkpoint)
        print_text(
            f"Wrote the world '{name}' in '{options.page}'. "
            f"'python -m http.server --directory {options.page}' serves it."
        )
        return
    from worldmodels.player.publish import publish

    publish(options.path, options.out, options.title, options.licence or "MIT", options.checkpoint)
    print_text(f"Wrote {options.out}. 'worldmodels play {options.out}' opens it.")
