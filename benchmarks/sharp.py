"""Compares families of world models after the same minutes on the same recording: error, sharpness, readings.

    python benchmarks/sharp.py [--worlds coinrun_20 ...] [--families flow_small ...] [--seeds 0] [--minutes 30]

Each cell is a run without a policy, which records 80,000 steps of held random actions. A short run measures the speed.
Then a run learns for as many updates as fit into the minutes, on all cores; the learning rate falls over all of them.
Its model predicts 128 windows under held actions, of test levels if there are any: 20 steps are seen, 100 predicted.

Runs are kept under runs/sharp, results in results/sharp.jsonl. The same command goes on with the cells that are
missing, and a run that was stopped goes on where it was. Every call writes results/sharp.md from the finished cells.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from archive import Archive
from kept_cells import heading, measure_cells, write_report
from preset_speed import learning
from provenance import made_line

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.errors import counted
from worldmodels.core.processor import this_processor, usable_cores
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.evaluation.report.numbers import metrics_tree
from worldmodels.loading.quiet import load_tensorflow

HERE = Path(__file__).parent
RUNS, RESULTS = HERE.parent / "runs" / "sharp", HERE / "results" / "sharp"
ARCHIVE = Archive(RESULTS.with_suffix(".jsonl"))
STEPS = 80_000
WORLDS = {
    "coinrun_20": ("env.game=coinrun", "env.num_levels=20"),
    "coinrun_200": ("env.game=coinrun", "env.num_levels=200"),
    "fruitbot": ("env.game=fruitbot", "env.num_levels=200"),
    "starpilot": ("env.game=starpilot", "env.num_levels=200"),
    "pong": ("env.game=ALE/Pong-v5",),
}
FAMILIES = {
    "flow_small": "linear(6e-4, 1e-5, {})",
    "simple_small": "linear(2e-3, 2e-4, {})",
    "simple_deterministic_small": "linear(2e-3, 2e-4, {})",
    "dreamer_small demo": "linear(2.4e-3, 1.2e-4, {})",
}
"""Learning rates over all updates, by the presets of the family."""
FIT = 10
"""Updates of a turn."""
PROBE, PROBE_STEPS = 100, 8_000
"""Updates that measure the speed, the first half of which is not counted, and the steps recorded for them."""
LEARNING = (
    "agent.kind=random",
    "training.prefill_policy=held",
    "training.pretrain=0",
    "training.collect=0",
    "training.improve=0",
    f"training.fit={FIT}",
    "training.fit_factors=[]",
    "training.real_rollout=0",
    f"replay.capacity_steps={STEPS}",
    "schedule.evaluate_every=0",
    "schedule.log_updates=10",
    "schedule.checkpoint_updates=250",
)
CONTEXT, HORIZON, WINDOWS, ENVIRONMENTS = 20, 100, 128, 32
AHEAD = (1, 5, 15, 30, 100)
"""Steps ahead of which figures are taken."""
DRAWN = {"mean": 0.0, "sample": 1.0}
"""Temperatures of the model."""
FIGURES = {
    "error": "squared error over copying",
    "told_apart": "told apart",
    "told_apart_coarse": "told apart at 16 x 16",
    "small_structures": "small structures",
    "contrast": "contrast",
    "windows": "windows",
}
READINGS = {
    "reading_error": "error of places, in cells",
    "real_reading_error": "the same, read from real frames",
    "copied_reading_error": "the same, read from the last frame seen",
    "things_seen": "things seen",
    "real_things_seen": "things seen in real frames",
}
WORDS = f"""\
Figures {", ".join(map(str, AHEAD))} steps ahead. Squared error rewards the mean of all possible frames, which is
blurred. Told apart: the accuracy of a small classifier, from 0.5 (never) to 1 (always). Small structures and contrast:
1 is right. Places and things are read from samples (`docs/measures.md`)."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", nargs="+", default=list(WORLDS), choices=WORLDS)
    parser.add_argument("--families", nargs="+", default=list(FAMILIES), choices=FAMILIES)
    parser.add_argument("--seeds", nargs="*", type=int, default=[0])
    parser.add_argument("--minutes", type=float, default=30, help="of learning of each run (default: %(default)s)")
    how = parser.parse_args()
    load_tensorflow()
    wanted = (
        {"world": world, "family": family, "minutes": how.minutes, "seed": seed}
        for seed, world, family in product(how.seeds, how.worlds, how.families)
    )
    write_report(RESULTS.with_suffix(".md"), measure_cells(ARCHIVE, wanted, learn_and_measure), report)


def learn_and_measure(world: str, family: str, minutes: float, seed: int) -> dict[str, Any]:
    """Train a run, or finish it, and return its figures."""
    folder = RUNS / f"{world}_{family.replace(' ', '_')}_{minutes:g}_{seed}"
    probe, run = folder / "probe", folder / "run"
    train(probe, seed, settings_of(world, family, PROBE, PROBE_STEPS), family)
    turns = int(60 * minutes * updates_per_second(probe / "metrics.jsonl") / FIT)
    updates = turns * FIT
    train(run, seed, settings_of(world, family, updates), family)
    cores = f"{counted(len(usable_cores()), 'core')} of {this_processor()}"
    return {"processor": cores, "updates": updates, **measure(run)}


def train(run: Path, seed: int, settings: Sequence[str], family: str) -> None:
    """Train a run of a family's presets to its end; a run that is finished is left as it is."""
    command = [sys.executable, "-m", "worldmodels", "train", "--config", *family.split(), *settings, f"seed={seed}"]
    run.parent.mkdir(parents=True, exist_ok=True)
    with run.with_suffix(".log").open("a") as log:
        subprocess.run([*command, "--logdir", str(run)], stdout=log, stderr=log, check=True)


def settings_of(world: str, family: str, updates: int, steps: int = STEPS) -> list[str]:
    """Return the overrides of a family's presets for so many updates on so many recorded steps of a world."""
    rate = f"model.optimizer.learning_rate={FAMILIES[family].format(updates)}"
    amounts = [f"training.steps={steps}", f"training.prefill={steps}", f"training.turns={updates // FIT}"]
    return [*LEARNING, *WORLDS[world], rate, *amounts]


def updates_per_second(metrics: Path) -> float:
    """Return the median speed of a run's updates, without the first half, in which graphs are built."""
    speeds = [record["time/updates_per_second"] for record in learning(metrics)]
    return median(speeds[len(speeds) // 2 :])


def measure(run: Path, windows: int = WINDOWS, horizon: int = HORIZON) -> dict[str, Any]:
    """Return the figures of a run's world model on test levels, under held actions."""
    from worldmodels.acting.exploring_actor import HeldActor, Holding
    from worldmodels.envs import tells_variables
    from worldmodels.envs.games.levels import Levels, has_test_levels
    from worldmodels.evaluation.evaluator import Evaluator
    from worldmodels.evaluation.measure import Occasion
    from worldmodels.evaluation.measures.readings import read_frames, reading_metrics
    from worldmodels.evaluation.predictions.windows import play_windows
    from worldmodels.loading.load import load_run

    settings = EvaluationConfig(context=CONTEXT, horizon=horizon, windows=windows, episodes=ENVIRONMENTS)
    streams = Streams(0)
    parts = load_run(run).parts
    levels: Levels = "test" if has_test_levels(parts.config.env) else "train"
    evaluator = Evaluator(parts, settings, streams, ENVIRONMENTS, levels=levels)
    try:
        actor = HeldActor(ENVIRONMENTS, evaluator.spec.action.count, streams.generator("held"), Holding(uniform=0.0))
        played = play_windows(evaluator.env, actor, windows, CONTEXT + horizon, streams.integer("held"))
        read = read_frames(evaluator, Occasion("model", levels)) if tells_variables(evaluator.env) else None
    finally:
        evaluator.close()
    found: dict[str, Any] = {"readings": reading_metrics(read) if read else {}}
    for drawn, temperature in DRAWN.items():
        predicted = evaluator.predictor.predict(played, streams.key("prediction"), temperature)
        found |= {f"{drawn}_{name}": by for name, by in frame_figures(played, predicted.frame).items()}
    foresight = evaluator.predictor.foresight(played, streams.key("foresight"), 0.0)
    return found | {"foresight": metrics_tree(foresight._asdict()) if foresight else None}


def frame_figures(played: Batch, frames: np.ndarray) -> dict[str, dict[int, float]]:
    """Return figures by the steps ahead of frames uint8 (W, H, h, w, c), which follow the context of windows.

    `error` is the squared error over that of copying the last frame seen, `contrast` the deviation of the colours over
    the real one; the others are those of the measure `sharpness`.
    """
    from worldmodels.evaluation.measures.sharpness import coarse, energy, told_apart
    from worldmodels.evaluation.predictions.model_errors import counting

    goes_on, real = counting(played.is_last, CONTEXT), played.observation[:, CONTEXT:]
    figures: dict[str, dict[int, float]] = {name: {} for name in FIGURES}
    for step in (step for step in AHEAD if step <= frames.shape[1]):
        rows = goes_on[:, step - 1]
        seen, truth, drawn = played.observation[rows, CONTEXT - 1], real[rows, step - 1], frames[rows, step - 1]
        figures["windows"][step] = int(rows.sum())
        figures["error"][step] = squared(drawn, truth) / squared(seen, truth)
        figures["told_apart"][step] = told_apart(truth, drawn, step)
        figures["told_apart_coarse"][step] = told_apart(coarse(truth), coarse(drawn), step)
        figures["small_structures"][step] = energy(drawn) / energy(truth)
        figures["contrast"][step] = float(drawn.std() / truth.std())
    return figures


def squared(frames: np.ndarray, truth: np.ndarray) -> float:
    """Return the mean squared difference of frames uint8."""
    return float(np.square(frames.astype(np.float32) - truth).mean())


def report(cells: list[dict[str, Any]]) -> str:
    """Return two tables for each world: what is drawn, for each family and way to draw, and what is read from it."""
    lines = [heading("Families of world models side by side", __doc__), WORDS]
    for world, minutes in dict.fromkeys((cell["world"], cell["minutes"]) for cell in cells):
        those = [cell for cell in cells if (cell["world"], cell["minutes"]) == (world, minutes)]
        lines += [f"\n## {world}, {minutes:g} minutes\n", *table(("", "updates", *FIGURES.values()), drawn_rows(those))]
        if any(cell["readings"] for cell in those):
            lines += ["", *table(("", *READINGS.values()), read_rows(those))]
    processors = ", ".join(sorted({cell["processor"] for cell in cells}))
    return "\n".join([*lines, "", f"On {processors}.", "", made_line(cells)]) + "\n"


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table of Markdown."""
    for cells in (titles, ["---"] * len(titles), *rows):
        yield f"| {' | '.join(cells)} |"


def drawn_rows(cells: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    for cell, drawn in product(cells, DRAWN):
        title = f"{cell['family']}, {drawn}, seed {cell['seed']}"
        yield [title, f"{cell['updates']:,}", *(series(cell[f"{drawn}_{name}"].values()) for name in FIGURES)]


def read_rows(cells: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    for cell in cells:
        found = cell["readings"]
        by = ([found.get(f"eval/{name}_at_{step}", math.nan) for step in AHEAD] for name in READINGS)
        yield [f"{cell['family']}, seed {cell['seed']}", *map(series, by)]


def series(values: Iterable[float]) -> str:
    """Return the figures by the steps ahead."""
    return " / ".join(f"{value:.3g}" for value in values)


if __name__ == "__main__":
    main()
