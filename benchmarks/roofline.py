"""Measures how much of the speed of a large matrix product an update reaches: the rest is what faster code could gain.

    python benchmarks/roofline.py [--learners "dreamerv3, 16 x 32" ...] [--seconds 20]

A learner is a preset in CoinRun with a batch. Its updates see blank experience, and take turns with a product of two
matrices of 2048 x 2048 in the same precision. All matrix products and convolutions of an update are counted, forward
and backward (speed/operations.py).

Results are kept in results/roofline.jsonl, and results/roofline.md is written from them: the same command goes on with
what is missing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

from archive import Archive
from gpu import hardware, samples
from kept_cells import heading, measure_cells, write_report
from provenance import made_line
from speed.stopwatch import Product, Stopwatch, precisions

from worldmodels.acting.build import Parts, build_parts
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.loading.quiet import load_tensorflow

RESULTS = Path(__file__).parent / "results" / "roofline"
ARCHIVE = Archive(RESULTS.with_suffix(".jsonl"))
LARGE_BATCH = ("training.batch=16", "training.length=32")
DREAMERV2 = (
    *("model.encoder={kind: conv, depth: 16}", "model.decoder={kind: conv, depth: 16}"),
    *("agent.horizon=15", "training.starts.rollouts=512"),
)
MODEL_ALONE = ("agent.kind=random", "training.improve=0", "training.real_rollout=0")
"""An update of the published policy takes minutes: it imagines 800 frames."""
LEARNERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "DreamerV2's layout, 16 x 32": ("dreamer_small", (*LARGE_BATCH, *DREAMERV2)),
    "dreamer_small, 16 x 32": ("dreamer_small", (*LARGE_BATCH, "training.starts.rollouts=256")),
    "dreamer_small, 8 x 16": ("dreamer_small", ()),
    "dreamerv3, 16 x 32": ("dreamerv3", LARGE_BATCH),
    "simple, its model": ("simple", MODEL_ALONE),
    "simple_deterministic_small": ("simple_deterministic_small", ()),
    "flow_small": ("flow_small", ()),
    "PPO, Nature network": ("ppo_nature", ("training.rollout=128",)),
    "PPO, IMPALA": ("ppo_procgen", ("training.rollout=4", "agent.minibatch=256")),
}
"""Names, presets and their overrides."""
UPDATES = {"model": ("fit",), "policy": ("update_from_imagination", "update_from_rollouts")}
"""The methods that do an update, by its name."""
TURNS = 3
"""Turns of an update at least, after one that builds its graph."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=LEARNERS)
    parser.add_argument("--seconds", type=float, default=20, help="of turns for each learner (default: %(default)s)")
    how = parser.parse_args()
    load_tensorflow()
    here = hardware()
    wanted = [
        {"hardware": here, "learner": learner, "precision": precision}
        for learner, precision in product(how.learners, precisions())
    ]
    write_report(RESULTS.with_suffix(".md"), measure_cells(ARCHIVE, wanted, partial(measure, how.seconds)), report)


def measure(seconds: float, hardware: str, learner: str, precision: Any) -> dict[str, Any]:
    """Return the operations of a learner's updates, their least times, and the speed of the large product."""
    from speed.operations import counted

    from worldmodels.models.devices import wait_for_gpu

    preset, overrides = LEARNERS[learner]
    config = load_config(RunConfig, [preset], [*overrides, "env.game=coinrun", f"precision={precision}", "compile=off"])
    env = build_env(config)
    calls = updates(build_parts(config, env), config.env.num_envs)
    env.close()
    large, watches = Product(precision), {name: Stopwatch() for name in calls}
    start = time.perf_counter()
    while time.perf_counter() - start < seconds or large.stopwatch.count <= TURNS:
        large.turn()
        for name, call in calls.items():
            with watches[name]():
                call()
                wait_for_gpu()
    operations = {}
    for name, call in calls.items():
        with counted() as found:
            call()
        operations[name] = dict(found)
    return {
        "operations": operations,
        "seconds": {name: watch.least() for name, watch in watches.items()},
        "product": large.OPERATIONS / large.stopwatch.least(),
        "samples": samples(config),
    }


def updates(parts: Parts, num_envs: int) -> dict[str, Callable[[], Any]]:
    """Return an update of the model and one of the policy, as an estimate of the run does them."""
    from worldmodels.training.estimate import estimate_run

    found: dict[str, Callable[[], Any]] = {}

    def kept(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            found[name] = partial(method, *arguments)
            return method(*arguments)

        return call

    with ExitStack() as stack:
        for name, owner, method in _methods(parts):
            stack.enter_context(patch.object(owner, method, kept(name, getattr(owner, method))))
        estimate_run(parts, num_envs, 0)
    return found


def _methods(parts: Parts) -> Iterator[tuple[str, Any, str]]:
    for name, owner in (("model", parts.model), ("policy", parts.agent)):
        yield from ((name, owner, method) for method in UPDATES[name] if hasattr(owner, method))


def report(cells: list[dict[str, Any]]) -> str:
    """Return a table of all that was measured."""
    lines = [
        heading("Updates beside a large matrix product", __doc__),
        "An update is one of the model and one of the policy; frames are the real ones of its batch. Times are the "
        "least of all turns. The last column has the frames a second of an update whose operations all run at the "
        "speed of the large product, and that does nothing else.",
        "",
        "| learner | device | precision | GFLOP of an update: model, policy | of convolutions | ms: model, policy "
        "| GFLOP/s | large product, GFLOP/s | share | frames/s | frames/s at the large product's speed |",
        "|---|---|---|---|---:|---|---:|---:|---:|---:|---:|",
    ]
    order = list(LEARNERS)
    for cell in sorted(cells, key=lambda cell: (cell["hardware"], order.index(cell["learner"]), cell["precision"])):
        which = [cell[name] for name in ("learner", "hardware", "precision")]
        lines.append("| " + " | ".join([*which, *figures(cell)]) + " |")
    return "\n".join([*lines, "", made_line(cells), ""])


def figures(cell: Mapping[str, Any]) -> list[str]:
    """Return the figures of a cell as text."""
    kinds = cell["operations"]
    parts = {name: sum(kinds[name].values()) for name in UPDATES if name in kinds}
    total, seconds = sum(parts.values()), sum(cell["seconds"].values())
    convolutions = sum(count for part in kinds.values() for kind, count in part.items() if kind.startswith("Conv"))
    return [
        ", ".join(f"{count / 1e9:,.1f}" for count in parts.values()),
        f"{convolutions / total:.0%}",
        ", ".join(f"{1e3 * cell['seconds'][name]:,.0f}" for name in parts),
        f"{total / seconds / 1e9:,.0f}",
        f"{cell['product'] / 1e9:,.0f}",
        f"{total / seconds / cell['product']:.0%}",
        f"{cell['samples'] / seconds:,.1f}",
        f"{cell['samples'] * cell['product'] / total:,.1f}",
    ]


if __name__ == "__main__":
    main()
