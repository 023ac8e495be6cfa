"""The results of an evaluation as JSON; docs/evaluation.md describes what it holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from worldmodels.analysis.statistics.aggregate import Estimate
from worldmodels.envs.config import EnvConfig
from worldmodels.evaluation.evaluator import ImaginedResult
from worldmodels.evaluation.measures.event_foresight import EventForesight
from worldmodels.evaluation.measures.grid import Cell
from worldmodels.evaluation.measures.imagined_play import reward_per_step
from worldmodels.evaluation.measures.knowledge import Knowledge
from worldmodels.evaluation.measures.model_errors import Curve, WorldModelErrors
from worldmodels.evaluation.measures.normalisation import normalised_return
from worldmodels.evaluation.measures.policy_returns import Episodes


def grid_tree(cells: Sequence[Cell], env: EnvConfig) -> list[dict[str, Any]]:
    """Return the grid, every episode included."""
    return [
        {
            **cell.setting._asdict(),
            "policy": _episodes_tree(cell.policy, env),
            "random": _episodes_tree(cell.random, env),
            "above_random": _estimate_tree(cell.advantage()),
        }
        for cell in cells
    ]


def errors_tree(errors: Mapping[float, WorldModelErrors]) -> list[dict[str, Any]]:
    """Return the world model's errors at each of its temperatures; entry h of each list is for the horizon h + 1."""
    return [{"model_temperature": temperature, **_tree(found)} for temperature, found in errors.items()]


def knowledge_tree(knowledge: Knowledge) -> dict[str, Any]:
    """Return what probes read, by the name of the variable; entry k of a list is for the horizon k of `horizons`."""
    variables = {
        name: {"unit": unit, "seen": _finite(seen), "ahead": _list(ahead), "kept": _list(kept)}
        for (name, unit), seen, ahead, kept in zip(
            knowledge.units.items(), knowledge.seen, knowledge.ahead, knowledge.kept, strict=True
        )
    }
    return {"horizons": list(knowledge.horizons), "variables": variables}


def imagined_tree(results: Sequence[ImaginedResult]) -> list[dict[str, Any]]:
    """Return the figures of the policy in the model; entry h of each list is for the horizon h + 1."""
    return [
        {
            "temperature": result.temperature,
            "model_temperature": result.model_temperature,
            "starts": len(result.windows.action),
            **_tree(result.play),
            "imagined_reward_per_step": reward_per_step(result.play.imagined_return, result.play.imagined_alive),
            "real_reward_per_step": reward_per_step(result.play.real_return, result.play.real_alive),
        }
        for result in results
    ]


def metrics_tree(metrics: Mapping[str, float]) -> dict[str, Any]:
    """Return metrics by name as a tree; what is not known is None, the error of a mean of one episode, say."""
    return {name: _finite(value) for name, value in metrics.items()}


def _tree(figures: Any) -> dict[str, Any]:
    """Return a named tuple of curves, estimates and numbers as a tree; what is not known is None."""
    tree: dict[str, Any] = {}
    for name, value in figures._asdict().items():
        if isinstance(value, Curve):
            tree[name] = {part: _list(values) for part, values in value._asdict().items()}
        else:
            named = isinstance(value, Estimate | EventForesight)
            tree[name] = _estimate_tree(value) if named else _finite(value)
    return tree


def _episodes_tree(episodes: Episodes, env: EnvConfig) -> dict[str, Any]:
    tree = _game_tree(episodes, env.game, env.distribution_mode)
    if len(env.games) > 1:
        parts = episodes.by_game(env.games)
        tree["games"] = {name: _game_tree(part, name, env.distribution_mode) for name, part in parts.items()}
    return tree


def _game_tree(episodes: Episodes, game: str, mode: str) -> dict[str, Any]:
    result = episodes.estimate()
    return {
        **_estimate_tree(result),
        "clipped": _estimate_tree(episodes.clipped_estimate()),
        "normalised": normalised_return(game, mode, result.mean),
        "mean_length": float(episodes.lengths.mean()),
        "info": episodes.info_means(),
        "unfinished": episodes.unfinished,
        "returns": episodes.returns.tolist(),
        "clipped_returns": episodes.clipped_returns.tolist(),
        "lengths": episodes.lengths.tolist(),
        "finished": episodes.finished.tolist(),
    }


def _estimate_tree(result: Estimate | EventForesight) -> dict[str, Any]:
    return {name: _finite(value) for name, value in result._asdict().items()}


def _finite(value: float | None) -> float | None:
    """Return a number, or None for NaN, which JSON does not have."""
    return value if value is not None and math.isfinite(value) else None


def _list(values: np.ndarray) -> list[float | None]:
    return [_finite(value) for value in values.tolist()]
