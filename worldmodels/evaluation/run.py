"""Runs `worldmodels eval`: measures a run's policy and world model, prints and keeps the result."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from worldmodels.analysis.plots.evaluation_plots import StepCurve, plot_over_steps
from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.errors import CheckpointError
from worldmodels.core.files.writing import check_writable
from worldmodels.core.output import print_text
from worldmodels.core.seeding import Streams
from worldmodels.envs.games.levels import Levels
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.findings import evaluate, named_by_levels
from worldmodels.evaluation.measures.table import MEASURES
from worldmodels.evaluation.report.numbers import metrics_tree, number
from worldmodels.evaluation.request import Request
from worldmodels.evaluation.result_files import ResultFiles, print_written
from worldmodels.loading.load import LoadedRun, load_run
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.run_table import print_table
from worldmodels.telemetry.sinks import TensorBoardSink

ENVIRONMENTS = 64
"""Episodes played at once: a larger batch makes a policy step cheaper for each, until the slowest one rules."""


def evaluate_run(request: Request, levels: Sequence[Levels] = ()) -> list[Path]:
    """Evaluate a run, write JSON, pictures, videos and TensorBoard events into its folder, and return the JSON's paths.

    The same checkpoint, settings and seed give the same file, except for the time in it. With all checkpoints there is
    a file for each, and one with the metrics of all, whose path is returned. `ResultFiles` names the files.

    Args:
        levels: in place of those of the request, one after the other: they share what was loaded and traced.

    Returns:
        A path for each level set.

    Raises:
        RunError, CheckpointError: the run cannot be loaded.
        ConfigError: a setting is out of range, or the run has no world model and one is needed.
    """
    run = load_run(request.path, request.step)
    settings = request.resolved(run.config.evaluation)
    requests = [replace(request, levels=chosen) for chosen in levels or [request.levels]]
    check_writable(run.run_dir.eval)  # before anything is played
    streams = Streams(Streams(request.seed).integer("evaluation"))
    report = () if request.all_checkpoints else (print_text,)
    evaluator = Evaluator(run.parts, settings, streams, ENVIRONMENTS, *report)
    logger = Logger([TensorBoardSink(run.run_dir.eval)])
    try:
        for each in requests:
            evaluator.use_levels(each.levels)  # an unknown one is told before anything is played
        return [_evaluate(run, each, settings, evaluator, logger) for each in requests]
    finally:
        logger.close()
        evaluator.close()


def _evaluate(
    run: LoadedRun, request: Request, settings: EvaluationConfig, evaluator: Evaluator, logger: Logger
) -> Path:
    """Evaluate the checkpoints that a request names, on its levels."""
    evaluator.use_levels(request.levels)
    files = ResultFiles(run.run_dir, request, settings, run.config.env)
    results, metrics = {}, {}
    for step in run.steps() if request.all_checkpoints else [run.step]:
        if request.all_checkpoints and step not in run.steps():
            print_text(f"The checkpoint of step {step:,} is gone: the run goes on, and keeps its newest alone")
            continue
        run = run.at(step) if request.all_checkpoints else run
        print_text(f"Evaluating {run.run_dir.path} as of step {step:,}")
        findings = evaluate(evaluator, request)
        findings.tree["metrics"] = metrics_tree(findings.metrics)
        results[step], metrics[step] = files.write(step, findings), findings.metrics
        logger.scalars(step, named_by_levels(findings.metrics, request.levels))
    if not results:
        raise CheckpointError(f"All checkpoints of '{run.run_dir.path}' were replaced meanwhile: evaluate the newest.")
    name = f"checkpoints{request.suffix}"
    return write_checkpoints(metrics, files, name) if request.all_checkpoints else results[run.step]


def write_checkpoints(metrics: dict[int, dict[str, float]], files: ResultFiles, name: str) -> Path:
    """Print and write the metrics of all checkpoints, by their step; return the path of the JSON."""
    _print_checkpoints(metrics, [name for measure in MEASURES for name in measure.over_steps])
    rows = [{"step": step, "metrics": metrics_tree(values)} for step, values in metrics.items()]
    result = files.write_json(name, {"checkpoints": rows})
    print_written([result, _draw_checkpoints(metrics, result.with_suffix(".png"))])
    return result


def _print_checkpoints(rows: Mapping[int, Mapping[str, float]], shown: Collection[str]) -> None:
    """Print a few figures of each checkpoint, a line each.

    Args:
        rows: metrics by step.
        shown: names of metrics without `eval/`; a name that ends in `_` stands for all that begin so.
    """
    names = dict.fromkeys(name for values in rows.values() for name in values if _is_shown(name, shown))
    lines = [[f"{step:,}", *(number(values.get(n, math.nan), 4) for n in names)] for step, values in rows.items()]
    titles = [name.removeprefix("eval/").replace("_", " ") for name in names]
    print_table("All checkpoints", ["step", *titles], lines)


def _is_shown(name: str, shown: Collection[str]) -> bool:
    short = name.removeprefix("eval/")
    return any(short == chosen or (chosen.endswith("_") and short.startswith(chosen)) for chosen in shown)


def _draw_checkpoints(rows: Mapping[int, Mapping[str, float]], save: Path) -> Path:
    """Draw returns and errors against the step of the checkpoint; return the path.

    Args:
        rows: metrics by step.
    """
    names = dict.fromkeys(name.removeprefix("eval/") for values in rows.values() for name in values)

    def curve(name: str, label: str) -> StepCurve:
        points = {step: values[f"eval/{name}"] for step, values in rows.items() if f"eval/{name}" in values}
        return StepCurve(label, list(points), list(points.values()), name.startswith(_BASELINES))

    chart = {}
    for title, beginnings in _OVER_STEPS.items():
        lines = [name for name in names if name.startswith(beginnings) and not name.endswith(_HIDDEN)]
        if lines:
            chart[title] = [curve(name, name.replace("_", " ")) for name in lines]
    return plot_over_steps(chart, save, "All checkpoints")


_OVER_STEPS = {
    "Return": ("return", "random_return", "blind_return", "planner_return", "planner_random_return"),
    "Image error, mean squared": ("image_error_at", "copy_image_error_at"),
    "Image error of moving pixels": ("moving_image_error_at", "copy_moving_image_error_at"),
    "Average precision of what is foreseen": (
        "reward_average_precision",
        "reward_base_rate",
        "end_average_precision",
        "end_base_rate",
        "unrewarded_end_average_precision",
        "unrewarded_end_base_rate",
    ),
    "Reward sum accuracy": ("reward_sum_accuracy_at", "constant_reward_sum_accuracy_at"),
    "Return inside the model": ("imagined_return_at", "real_return_at"),
}
_BASELINES = (
    "random_",
    "blind_",
    "planner_random_",
    "copy_",
    "constant_",
    "real_",
    "reward_base_rate",
    "end_base_rate",
    "unrewarded_end_base_rate",
)
_HIDDEN = ("_clipped", "_standard_error")
