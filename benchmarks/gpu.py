"""Measures updates of each family on the first GPU, in both precisions, with XLA and without; or on the processor.

    python benchmarks/gpu.py [--learners dreamerv3 ...] [--devices 2] [--minutes 8] [--tests]

A learner is a preset in CoinRun with a batch, which `--devices` divides among so many GPUs. Its updates see blank
experience: the least time of three calls counts after the first, which builds the graph. What compiling took, and the
most memory of the first GPU, stand beside it.

Cells are kept in results/gpu.jsonl as they come, and results/gpu.md is written from them. When the minutes are over, no
further cell is begun; the same command goes on with the cells that are missing. `--tests` then runs the tests of models
and agents on the device.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from archive import Archive
from kept_cells import heading, measure_cells, write_report
from provenance import made_line
from speed.stopwatch import precisions

from worldmodels.acting.build import build_parts
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import counted
from worldmodels.core.processor import usable_cores
from worldmodels.loading.quiet import load_tensorflow

RESULTS = Path(__file__).parent / "results" / "gpu"
ARCHIVE = Archive(RESULTS.with_suffix(".jsonl"))
LEARNERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "dreamerv3": ("dreamerv3", ()),
    "dreamer_small": ("dreamer_small", ()),
    "dreamer_small, 16 x 32": ("dreamer_small", ("training.batch=16", "training.length=32")),
    "flow_small": ("flow_small", ()),
    "simple_small": ("simple_small", ()),
    "ppo_procgen": ("ppo_procgen", ()),
    "dreamer": ("dreamer", ()),
    "dreamerv3, batch of 64": ("dreamerv3", ("training.batch=64",)),
    "dreamerv3, 50M": (
        "dreamerv3",
        (
            *("model.recurrent=4096", "model.hidden=512", "model.classes=32"),
            *("model.encoder.depth=32", "model.decoder.depth=32", "model.heads.units=512"),
            *("agent.actor.units=512", "agent.critic.units=512"),
        ),
    ),
    "flow": ("flow", ()),
    "simple": ("simple", ()),
}
"""Names, presets and their overrides, the most wanted first."""
COMPILERS = ("off", "xla")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=LEARNERS)
    parser.add_argument("--devices", type=int, default=1, help="on which a run learns (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=8, help="after which no cell is begun (default: %(default)s)")
    parser.add_argument("--tests", action="store_true", help="run the tests of models and agents afterwards")
    how = parser.parse_args()
    load_tensorflow()
    cells = measure_cells(ARCHIVE, wanted(how.learners, how.devices, how.minutes), partial(measure, how.devices))
    write_report(RESULTS.with_suffix(".md"), cells, report)
    if how.tests:
        subprocess.run([sys.executable, "-m", "pytest", "tests/models", "tests/agents"], check=True)


def wanted(learners: list[str], devices: int, minutes: float) -> Iterator[dict[str, str]]:
    """Yield cells until the minutes are over."""
    end, here = time.monotonic() + 60 * minutes, hardware(devices)
    for learner, precision, compiler in product(learners, precisions(), COMPILERS):
        if time.monotonic() < end:
            yield {"hardware": here, "learner": learner, "precision": precision, "compiler": compiler}


def hardware(devices: int = 1) -> str:
    """Return what computes, in words."""
    from worldmodels.models.devices import computing_processor, has_gpu

    cores = "" if has_gpu() else f", {counted(len(usable_cores()), 'core')}"
    shared = f", {devices} devices" if devices > 1 else ""
    return f"{computing_processor()}{cores}{shared}"


def measure(devices: int, hardware: str, learner: str, precision: str, compiler: str) -> dict[str, Any]:
    """Return the speed of a learner's updates; or the reason if it cannot compute."""
    import tensorflow as tf

    from worldmodels.models.devices import has_gpu
    from worldmodels.training.estimate import estimate_run

    preset, overrides = LEARNERS[learner]
    asked = [*overrides, "env.game=coinrun", f"precision={precision}", f"compile={compiler}", f"devices={devices}"]
    config = load_config(RunConfig, [preset], asked)
    if has_gpu():
        tf.config.experimental.reset_memory_stats("GPU:0")
    env = build_env(config)
    try:
        found = estimate_run(build_parts(config, env), config.env.num_envs, 0)
    except tf.errors.OpError as error:
        return {"refused": str(error).splitlines()[0]}
    finally:
        env.close()
    memory = tf.config.experimental.get_memory_info("GPU:0")["peak"] if has_gpu() else found.memory_bytes
    seconds = dict(found.update_seconds)
    return {
        "seconds": seconds,
        "samples": samples(config),
        "building": found.building_seconds,
        "gigabytes": memory / 1e9,
    }


def samples(config: RunConfig) -> int:
    """Return the real frames of one update: of the model, or of a policy that learns without one."""
    training: Any = config.training
    if training.kind == "model_free":
        return config.env.num_envs * training.rollout
    return training.batch * training.length


def report(cells: list[dict[str, Any]]) -> str:
    """Return a table of all that was measured."""
    lines = [
        heading("Updates on a device", __doc__),
        "An update is one of the model and one of the policy. Frames are the real ones of its batch.",
        "",
        "| learner | device | precision | compiler | updates/s | model, ms | policy, ms | frames/s | built, s | GB |",
        "|---|---|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    order = list(LEARNERS)
    for cell in sorted(cells, key=lambda cell: (order.index(cell["learner"]), cell["hardware"], cell["precision"])):
        which = [cell[name] for name in ("learner", "hardware", "precision", "compiler")]
        lines.append("| " + " | ".join([*which, *figures(cell)]) + " |")
    return "\n".join([*lines, "", made_line(cells), ""])


def figures(cell: dict[str, Any]) -> list[str]:
    """Return the figures of a cell as text."""
    if "refused" in cell:
        return [cell["refused"], *[""] * 5]
    seconds = cell["seconds"]
    milliseconds = [f"{1e3 * seconds[phase]:.1f}" if phase in seconds else "" for phase in ("fit", "improve")]
    update = sum(seconds.values())
    return [
        f"{1 / update:.2f}",
        *milliseconds,
        f"{cell['samples'] / update:,.0f}",
        f"{cell['building']:.0f}",
        f"{cell['gigabytes']:.1f}",
    ]


if __name__ == "__main__":
    main()
