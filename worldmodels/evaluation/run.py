"""`worldmodels eval`: measures a run's policy and world model, prints the result and keeps it in the run folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from worldmodels.core.config import from_dict, to_dict
from worldmodels.core.files import write_atomic
from worldmodels.core.seeding import Streams
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import Findings, measure
from worldmodels.evaluation.pictures import draw_checkpoints
from worldmodels.evaluation.request import Request
from worldmodels.evaluation.tables import print_checkpoints
from worldmodels.runtime.action_recording import ActionRecording, write_recording
from worldmodels.runtime.config import EvaluationConfig
from worldmodels.runtime.load import LoadedRun, load_run
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.sinks import TensorBoardSink
from worldmodels.telemetry.video import write_video

ENVIRONMENTS = 64
"""Episodes played at once: a larger batch makes a policy step cheaper for each, until the slowest one rules."""
VIDEO_FPS = 8


def evaluate_run(request: Request) -> Path:
    """Evaluates a run; writes JSON, pictures, videos and TensorBoard events into its folder, and gives the JSON's path.

    The same checkpoint, settings and seed give the same file, except for the time in it. With all checkpoints there is
    a file for each, and one with the metrics of all, whose path is given.

    Raises:
        RunError, CheckpointError: the run cannot be loaded.
        ConfigError: a setting is out of range, or the run has no world model and one is needed.
    """
    run = load_run(request.path, request.step)
    chosen = {**to_dict(run.config.evaluation), **request.settings}
    settings = from_dict(EvaluationConfig, chosen, "the evaluation's settings")
    streams = Streams(Streams(request.seed).integer("evaluation"))
    evaluator = Evaluator(run.parts, settings, streams, ENVIRONMENTS, lambda text: print(text, flush=True))
    logger = Logger([TensorBoardSink(run.run_dir.eval)])
    try:
        results, metrics = {}, {}
        for step in run.steps() if request.all_checkpoints else [run.step]:
            run = run.at(step) if request.all_checkpoints else run
            print(f"Evaluating {run.run_dir.path} as of step {step:,}", flush=True)
            findings = measure(evaluator, request, settings, run.config.env)
            results[step], metrics[step] = _keep(findings, run, request, settings, logger), findings.metrics
    finally:
        logger.close()
        evaluator.close()
    return _keep_all(metrics, run, request, settings) if request.all_checkpoints else results[run.step]


def _keep(findings: Findings, run: LoadedRun, request: Request, settings: EvaluationConfig, logger: Logger) -> Path:
    """Writes what was found at one checkpoint; gives the path of the JSON."""
    name = f"step_{run.step:08d}{request.suffix}"
    result = _write_json(run, request, settings, name, {"step": run.step, **findings.tree})
    written = [result, *findings.draw(run.run_dir.eval / name)]
    for title, frames in findings.videos.items():
        film = run.run_dir.videos / f"evaluation_{run.step:08d}{request.suffix}_{title}.mp4"
        write_video(film, frames, fps=VIDEO_FPS)
        written.append(film)
    for title, played in findings.recordings.items():
        written.append(_write_recordings(run.run_dir.eval / f"{name}_{title}", played))
    logger.scalars(run.step, findings.metrics)
    print("\n".join(["Written:", *(f"  {file}" for file in written)]), flush=True)
    return result


def _write_recordings(folder: Path, episodes: Sequence[ActionRecording]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for i, played in enumerate(episodes, start=1):
        write_recording(folder / f"episode_{i}.jsonl", played)
    return folder


def _keep_all(
    metrics: dict[int, dict[str, float]], run: LoadedRun, request: Request, settings: EvaluationConfig
) -> Path:
    print_checkpoints(metrics)
    name = f"checkpoints{request.suffix}"
    tree = {"checkpoints": [{"step": step, "metrics": values} for step, values in metrics.items()]}
    result = _write_json(run, request, settings, name, tree)
    picture = draw_checkpoints(metrics, run.run_dir.eval / f"{name}.png")
    print(f"Written:\n  {result}\n  {picture}")
    return result


def _write_json(run: LoadedRun, request: Request, settings: EvaluationConfig, name: str, found: dict[str, Any]) -> Path:
    tree = {
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seed": request.seed,
        "mode": request.mode,
        "agent": request.agent,
        "planner": to_dict(request.planner_config()) if request.agent == "planner" else None,
        "game": run.config.env.game,
        "distribution_mode": run.config.env.distribution_mode,
        "settings": to_dict(settings),
        **found,
    }
    path = run.run_dir.eval / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(tree, indent=2, allow_nan=False) + "\n")
    return path
