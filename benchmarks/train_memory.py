"""Measures the parts of the memory of a `dreamer_small` run with 100,000 steps of experience.

    python benchmarks/train_memory.py [--precision float32 bfloat16 auto] [--steps 100000] [--turns 50]

A run in a process of its own for each precision, in the order in which `worldmodels train` builds it: random play fills
the replay store, then come updates, a checkpoint, an evaluation and updates again. After each part stands what the
process holds, apart from the code of libraries, which is mapped from files and shared; its peak meanwhile; and what of
that was temporary. `auto` is how a run begins by default: both precisions are built and measured, and one stays.
Linux only, as it reads /proc. Writes results/train_memory.json and .md; about two minutes for each precision.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from provenance import made_by, made_line

TARGET = 1_200
"""Megabytes, of 10**6 bytes, that a run is to take at most."""


class Meter:
    """Notes the memory of this process, part by part."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []
        self("Python")

    def __call__(self, part: str) -> None:
        """Note what the process holds after a part of its work, and the peak since the part before."""
        fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        kilobytes = (int(fields[name].split()[0]) for name in ("VmRSS", "VmHWM", "RssAnon"))
        resident, peak, anonymous = (1024 * value / 1e6 for value in kilobytes)
        self.parts.append({"part": part, "resident": resident, "peak": peak, "mapped": resident - anonymous})
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew


def measure(precision: str, steps: int, turns: int, folder: Path) -> dict[str, Any]:
    """Go through a run, with so many steps of experience and turns of one model and one policy update each."""
    meter = Meter()
    from worldmodels.config.run_config import RunConfig
    from worldmodels.core.configuration.sections import load_config

    settings = [f"training.prefill={steps}", "training.pretrain=0", f"precision={precision}"]
    config = load_config(RunConfig, ["dreamer_small"], settings)
    meter("worldmodels, its configuration")
    from worldmodels.loading.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.acting.build import resolve_deterministic
    from worldmodels.acting.collected_steps import CollectedSteps
    from worldmodels.acting.step_source import LocalSource
    from worldmodels.config.environment import build_env
    from worldmodels.core.files.checkpoint import Checkpoints
    from worldmodels.core.files.run_dir import RunDir
    from worldmodels.core.processor import release_unused_memory
    from worldmodels.replay import Replay
    from worldmodels.telemetry.logger import Logger
    from worldmodels.training.loops.model_based import ModelBasedLoop
    from worldmodels.training.periodic import PeriodicEvaluation
    from worldmodels.training.precision import build_measured

    meter("TensorFlow and all else that is imported")
    env = build_env(config)
    parts, _, decision = build_measured(resolve_deterministic(config), env, 0)
    meter("model, policy, their graphs, an update of each")
    run_dir = RunDir(folder)
    replay = Replay(run_dir.replay, env.num_envs, env.observation_spec, env.action_spec, config.replay, steps)
    collected = CollectedSteps(LocalSource(parts, env), config.training.rollout_steps)
    loop = ModelBasedLoop(parts, config.training, collected, replay)
    evaluation = PeriodicEvaluation(parts, run_dir, replay)
    loop.begin()
    meter("loop and empty replay store")
    while loop.step < steps:
        loop.iterate()
    meter(f"{steps:,} steps of experience")
    run_turns(loop, turns)
    meter(f"{turns} turns")
    Checkpoints(run_dir.checkpoints).write(loop.step, loop.save())
    release_unused_memory()
    meter("a checkpoint")
    evaluation.run(loop.step, Logger([]))
    release_unused_memory()
    meter("an evaluation")
    run_turns(loop, turns)
    meter(f"{turns} turns more")
    frames = steps * parts.model.spec.observation.bytes / 1e6
    return {"precision": precision, "decision": decision, "frames": frames, "parts": meter.parts}


def run_turns(loop: Any, turns: int) -> None:
    """Collect, fit and improve as often as said."""
    target = loop.policy_updates + turns
    while loop.policy_updates < target:
        loop.iterate()


def report(results: dict[str, Any]) -> str:
    """One table for each precision."""
    text = [
        "# Memory of a run",
        "",
        "`python benchmarks/train_memory.py`: `dreamer_small` on coinrun, megabytes of 10**6 bytes. Resident is the "
        "memory of the process after each part. Mapped is the part of it that processes share, such as the code of "
        "libraries. Temporary is the peak during the part minus the memory that stayed.",
        "",
    ]
    for result in results.values():
        peak = max(part["peak"] for part in result["parts"])
        text += [
            f"## {result['precision']}: {peak:,.0f} MB at most; {TARGET:,} MB is the target",
            "",
            f"{result['decision']}. The frames of the experience are {result['frames']:,.0f} MB as they are.",
            "",
            "| after | resident | of it mapped | more than before | peak | temporary |",
            "|---|---|---|---|---|---|",
        ]
        before = 0.0
        for part in result["parts"]:
            numbers = (part["resident"], part["mapped"], part["resident"] - before, part["peak"])
            beyond = part["peak"] - max(part["resident"], before)
            cells = [f"{number:,.0f}" for number in (*numbers, beyond)]
            text.append(f"| {part['part']} | {' | '.join(cells)} |")
            before = part["resident"]
        text.append("")
    return "\n".join([*text, made_line(results.values()), ""])


def in_own_process(precision: str, how: argparse.Namespace) -> dict[str, Any]:
    arguments = ["--measure", precision, "--steps", str(how.steps), "--turns", str(how.turns)]
    command = [sys.executable, str(Path(__file__).resolve()), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    precisions = ("float32", "bfloat16", "auto")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", nargs="+", choices=precisions, default=list(precisions))
    parser.add_argument("--steps", type=int, default=100_000, help="of experience (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=50, help="of the loop (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "train_memory")
    parser.add_argument("--measure", choices=precisions, help=argparse.SUPPRESS)
    how = parser.parse_args()
    if how.measure:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measure(how.measure, how.steps, how.turns, Path(folder))))
        return
    results = {precision: in_own_process(precision, how) | {"made_by": made_by()} for precision in how.precision}
    how.output.parent.mkdir(parents=True, exist_ok=True)
    how.output.with_suffix(".json").write_text(json.dumps(results, indent=2) + "\n")
    how.output.with_suffix(".md").write_text(report(results))
    print(report(results))


if __name__ == "__main__":
    main()
