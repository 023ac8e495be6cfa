"""One evaluation of one checkpoint: what is measured in each mode, and the forms in which it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.levels import Levels, level_words
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measures.action_effects import action_metrics
from worldmodels.evaluation.measures.grid import grid_metrics
from worldmodels.evaluation.measures.imagined_play import imagined_metrics
from worldmodels.evaluation.measures.knowledge import knowledge_metrics
from worldmodels.evaluation.measures.model_errors import error_metrics
from worldmodels.evaluation.predictions.windows import check_horizon
from worldmodels.evaluation.probes import Probes
from worldmodels.evaluation.report.comparison_video import imagined_video, prediction_video
from worldmodels.evaluation.report.json_trees import errors_tree, grid_tree, imagined_tree, knowledge_tree, metrics_tree
from worldmodels.evaluation.report.pictures import draw_errors, draw_grid, draw_imagined
from worldmodels.evaluation.report.tables import (
    print_action_effects,
    print_errors,
    print_grid,
    print_imagined,
    print_knowledge,
)
from worldmodels.evaluation.request import Request
from worldmodels.recordings.action_recording import ActionRecording

VIDEO_STEPS = 45
"""Steps that the model predicts in the video."""
VIDEO_WINDOWS = 6


@dataclass
class Findings:
    """The findings of an evaluation, in the forms in which they are kept."""

    tree: dict[str, Any] = field(default_factory=dict)
    """The results for JSON."""
    metrics: dict[str, float] = field(default_factory=dict)
    """The metrics, named `eval/...`."""
    pictures: dict[str, Callable[[Path], Path]] = field(default_factory=dict)
    """Functions that draw into a file, by name."""
    videos: dict[str, Iterable[np.ndarray]] = field(default_factory=dict)
    """Frames uint8 (H, W, 3), by name."""
    probes: Probes | None = None
    """The probes of the model's features, where the game tells its variables."""
    recordings: dict[str, list[ActionRecording]] = field(default_factory=dict)
    """The actions of the episodes of a film, by its name."""


def measure(evaluator: Evaluator, request: Request, settings: EvaluationConfig, env: EnvConfig) -> Findings:
    """Measure what is asked for, print it, and return it."""
    findings = Findings()
    if request.mode != "real":
        evaluator.require_model()
    levels = level_words(env, request.levels)
    if request.mode == "imagined":
        _imagined(findings, evaluator, request, settings, levels)
        return findings
    # The model first: a horizon that cannot be measured should be told before an hour of playing.
    if request.mode == "model" or (request.agent == "policy" and evaluator.spec.imagines):
        _model(findings, evaluator, request, settings, levels)
    elif request.agent == "policy":
        print("This run has no world model: only its policy is measured.")
    if request.mode == "real":
        _real(findings, evaluator, request, env)
    return findings


def named_by_levels(metrics: Mapping[str, float], levels: Levels) -> dict[str, float]:
    """Return metrics `eval/...` by the names that they have beside those of other levels: `eval/test_...` on test
    levels."""
    return {name.replace("/", "/test_", 1) if levels == "test" else name: value for name, value in metrics.items()}


def _real(findings: Findings, evaluator: Evaluator, request: Request, env: EnvConfig) -> None:
    player = {
        "policy": lambda: None,
        "planner": lambda: evaluator.planner(request.planner_config()),
        "random": evaluator.random_actor,
    }[request.agent]()
    filmed = evaluator.grid(player, request.videos)
    cells = [one.cell for one in filmed]
    print_grid(cells, env, request.agent, level_words(env, request.levels))
    findings.tree["returns"] = grid_tree(cells, env)
    findings.metrics |= grid_metrics(cells, env.games, request.agent)
    findings.pictures["returns"] = lambda save: draw_grid(cells, env, request.agent, save)
    films = {one.cell.setting.name: one.film for one in filmed if one.film is not None}
    if request.videos and not films:
        print(f"There is no film: '{env.game}' shows no images in colour or in grey.")
    findings.videos |= {name: film.frames() for name, film in films.items()}
    seeds = evaluator.level_seeds() if films else None
    if seeds is not None:
        findings.recordings |= {name: film.recordings(env, seeds) for name, film in films.items()}


def _model(findings: Findings, evaluator: Evaluator, request: Request, settings: EvaluationConfig, levels: str) -> None:
    windows = evaluator.windows("recording", settings.windows, settings.horizon)
    check_horizon(windows, settings.context)
    errors = evaluator.errors(windows)
    print_errors(errors, settings.context, levels)
    findings.tree["world_model"] = errors_tree(errors)
    findings.metrics |= error_metrics(errors)
    findings.pictures["world_model"] = lambda save: draw_errors(errors, save)
    if knowledge := evaluator.knowledge():
        print_knowledge(knowledge, levels)
        findings.tree["knowledge"] = knowledge_tree(knowledge)
        findings.metrics |= knowledge_metrics(knowledge)
        findings.probes = knowledge.probes
    if effects := evaluator.action_effects():
        print_action_effects(effects, levels)
        findings.tree["actions"] = metrics_tree(effects._asdict())
        findings.metrics |= action_metrics(effects)
    if request.videos and evaluator.spec.image is not None:
        findings.videos["prediction"] = _prediction_video(evaluator, settings)


def _prediction_video(evaluator: Evaluator, settings: EvaluationConfig) -> np.ndarray:
    windows = evaluator.windows("film", VIDEO_WINDOWS, VIDEO_STEPS, spread=4)
    predicted = evaluator.predict(windows, settings.model_temperatures[0])
    context = windows.map(lambda values: values[:, : settings.context])
    truth = evaluator.spec.image_of(windows.observation)
    return prediction_video(predicted.frame, truth, settings.context, evaluator.reconstruct(context))


def _imagined(
    findings: Findings, evaluator: Evaluator, request: Request, settings: EvaluationConfig, levels: str
) -> None:
    results = evaluator.imagined()
    print_imagined(results, levels)
    findings.tree["imagined"] = imagined_tree(results)
    for result in results:
        findings.metrics |= imagined_metrics(result.play, f"_{result.name}" if len(results) > 1 else "")
        if request.videos and evaluator.spec.image is not None:
            truth = evaluator.spec.image_of(result.windows.observation)
            frames = imagined_video(result.predicted.frame, truth, settings.context, VIDEO_WINDOWS)
            findings.videos[result.name] = frames
    findings.pictures["policy"] = lambda save: draw_imagined(results, save)
