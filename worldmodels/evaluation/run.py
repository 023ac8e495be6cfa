"""Runs `worldmodels eval`: measures a run's policy and world model, prints and keeps the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.errors import CheckpointError
from worldmodels.core.files.writing import check_writable
from worldmodels.core.output import print_text
from worldmodels.core.seeding import Streams
from worldmodels.envs.games.levels import Levels
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.findings import evaluate, named_by_levels
from worldmodels.evaluation.measures.table import MEASURES
from worldmodels.evaluation.report.checkpoints import draw_checkpoints, print_checkpoints
from worldmodels.evaluation.report.numbers import metrics_tree
from worldmodels.evaluation.request import Request
from worldmodels.evaluation.result_files import ResultFiles, print_written
from worldmodels.loading.load import LoadedRun, load_run
from worldmodels.telemetry.logger import Logger
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
    print_checkpoints(metrics, [name for measure in MEASURES for name in measure.over_steps])
    rows = [{"step": step, "metrics": metrics_tree(values)} for step, values in metrics.items()]
    result = files.write_json(name, {"checkpoints": rows})
    print_written([result, draw_checkpoints(metrics, result.with_suffix(".png"))])
    return result
