"""One evaluation of one checkpoint: what is measured in each mode, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.envs.config import EnvConfig
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.grid import grid_metrics
from worldmodels.evaluation.imagined import imagined_metrics
from worldmodels.evaluation.pictures import draw_errors, draw_grid, draw_imagined
from worldmodels.evaluation.recording import check_reach
from worldmodels.evaluation.recordings import recordings
from worldmodels.evaluation.request import Request
from worldmodels.evaluation.tables import print_errors, print_grid, print_imagined
from worldmodels.evaluation.trees import errors_tree, grid_tree, imagined_tree
from worldmodels.evaluation.video import dream_video, prediction_video
from worldmodels.evaluation.world_model import error_metrics
from worldmodels.runtime.action_recording import ActionRecording
from worldmodels.runtime.config import EvaluationConfig

VIDEO_STEPS = 45
"""Steps that the model predicts in the video."""
VIDEO_WINDOWS = 6


@dataclass
class Findings:
    """What an evaluation found, in the forms in which it is kept."""

    tree: dict[str, Any] = field(default_factory=dict)
    """For JSON."""
    metrics: dict[str, float] = field(default_factory=dict)
    """Named `eval/...`."""
    pictures: dict[str, Callable[[Path], Path]] = field(default_factory=dict)
    """By name, functions that draw into a file."""
    videos: dict[str, Iterable[np.ndarray]] = field(default_factory=dict)
    """By name, frames uint8 (H, W, 3)."""
    recordings: dict[str, list[ActionRecording]] = field(default_factory=dict)
    """By name, the episodes of a film."""

    def draw(self, stem: Path) -> list[Path]:
        """Draws all pictures, into files that begin with `stem`."""
        return [draw(stem.with_name(f"{stem.name}_{name}.png")) for name, draw in self.pictures.items()]


def measure(evaluator: Evaluator, request: Request, settings: EvaluationConfig, env: EnvConfig) -> Findings:
    """Does what is asked for, and prints it."""
    findings = Findings()
    if request.mode != "real":
        evaluator.require_model()
    if request.mode == "imagined":
        _imagined(findings, evaluator, request, settings)
        return findings
    # The model first: a horizon that cannot be measured should be told before an hour of playing.
    if request.mode == "model" or (request.agent == "policy" and evaluator.knows_model):
        _model(findings, evaluator, request, settings)
    elif request.agent == "policy":
        print("This run knows no world model: only its policy is measured.")
    if request.mode == "real":
        _real(findings, evaluator, request, env)
    return findings


def _real(findings: Findings, evaluator: Evaluator, request: Request, env: EnvConfig) -> None:
    player = {
        "policy": lambda: None,
        "planner": lambda: evaluator.planner(request.planner_config()),
        "random": evaluator.random_actor,
    }[request.agent]()
    played = evaluator.grid(player, request.videos)
    cells = [one.cell for one in played]
    print_grid(cells, env, request.agent)
    findings.tree["returns"] = grid_tree(cells, env)
    findings.metrics |= grid_metrics(cells, env.games, request.agent)
    findings.pictures["returns"] = lambda save: draw_grid(cells, env, request.agent, save)
    if request.videos:
        findings.videos |= {one.cell.setting.name: one.film.frames() for one in played}
        seeds = evaluator.level_seeds()
        if seeds is not None:
            findings.recordings |= {one.cell.setting.name: recordings(one.film, env, seeds) for one in played}


def _model(findings: Findings, evaluator: Evaluator, request: Request, settings: EvaluationConfig) -> None:
    recording = evaluator.record("recording", settings.windows, settings.horizon)
    check_reach(recording, settings.context)
    errors = evaluator.errors(recording)
    print_errors(errors, settings.context)
    findings.tree["world_model"] = errors_tree(errors)
    for temperature, found in errors.items():
        findings.metrics |= error_metrics(found, f"_model{temperature:g}" if len(errors) > 1 else "")
    findings.pictures["world_model"] = lambda save: draw_errors(errors, save)
    if request.videos:
        film = evaluator.record("film", VIDEO_WINDOWS, VIDEO_STEPS, spread=4)
        made = evaluator.predict(film, settings.model_temperatures[0])
        findings.videos["prediction"] = prediction_video(made, film, settings.context)


def _imagined(findings: Findings, evaluator: Evaluator, request: Request, settings: EvaluationConfig) -> None:
    results = evaluator.imagined()
    print_imagined(results)
    findings.tree["imagined"] = imagined_tree(results)
    for result in results:
        findings.metrics |= imagined_metrics(result.play, f"_{result.name}" if len(results) > 1 else "")
        if request.videos:
            frames = dream_video(result.windows, result.dream.frames, settings.context, VIDEO_WINDOWS)
            findings.videos[result.name] = frames
    findings.pictures["policy"] = lambda save: draw_imagined(results, save)
