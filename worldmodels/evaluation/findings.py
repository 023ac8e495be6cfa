"""Evaluates one checkpoint: takes the measures of a request, prints them and returns everything that is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.core.output import print_text
from worldmodels.envs.games.levels import Levels, level_words
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import Kind, Occasion, take
from worldmodels.evaluation.measures import table
from worldmodels.evaluation.probes import Probes
from worldmodels.evaluation.request import Request
from worldmodels.recordings.action_recording import ActionRecording


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
    recordings: dict[str, Sequence[ActionRecording]] = field(default_factory=dict)
    """The actions of the episodes of a film, by its name."""


def evaluate(evaluator: Evaluator, request: Request) -> Findings:
    """Take the measures of a request and return them; print them, if they are of one checkpoint."""
    findings, occasion = Findings(), _occasion(request)
    if request.mode != "real":
        evaluator.require_model()
    elif request.agent == "policy" and not evaluator.spec.imagines:
        print_text("This run has no world model: only its policy is measured.")
    levels = level_words(evaluator.config.env, request.levels)
    for measure, found in take(table.MEASURES, evaluator, occasion):
        if not request.all_checkpoints:
            measure.print(found, levels)
        findings.tree[measure.name] = measure.as_json(found)
        findings.metrics |= measure.metrics(found)
        if measure.picture is not None:
            findings.pictures[measure.picture_name or measure.name] = partial(measure.picture, found)
        extras = measure.extras(found, evaluator, occasion)
        if extras.message and not request.all_checkpoints:
            print_text(extras.message)
        findings.videos |= extras.videos
        findings.recordings |= extras.recordings
        findings.probes = extras.probes or findings.probes
    return findings


def _occasion(request: Request) -> Occasion:
    kinds: Mapping[str, Kind] = {"model": "model", "imagined": "imagined"}
    kind = kinds.get(request.mode, "real" if request.agent == "policy" else "player")
    planner = request.planner_config() if request.agent == "planner" else None
    return Occasion(kind, request.levels, request.agent, planner, request.videos)


def named_by_levels(metrics: Mapping[str, float], levels: Levels) -> dict[str, float]:
    """Return metrics `eval/...` by the names that they have beside those of other levels: `eval/test_...` on test
    levels, `eval/unseen_...` on those of unseen layouts."""
    return {
        name if levels == "train" else name.replace("/", f"/{levels}_", 1): value for name, value in metrics.items()
    }
