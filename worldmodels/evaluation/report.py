"""An evaluation as a table for the terminal, as JSON, and as pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.analysis.aggregate import Estimate
from worldmodels.analysis.evaluation_plots import HorizonCurve, plot_grid, plot_horizon
from worldmodels.envs.config import EnvConfig
from worldmodels.evaluation.grid import Cell
from worldmodels.evaluation.normalisation import normalised_return
from worldmodels.evaluation.policy import Episodes
from worldmodels.evaluation.world_model import Curve, WorldModelErrors
from worldmodels.telemetry.table import print_table


def print_grid(cells: Sequence[Cell], env: EnvConfig) -> None:
    """Returns on the terminal, and how they compare with the random policy's."""
    played = [(cell.noops, _policy(cell), cell.policy) for cell in cells]
    played += [(cell.noops, "random", cell.random) for cell in {cell.noops: cell for cell in cells}.values()]
    rows = [_played(*setting) for setting in played]
    if len(env.games) > 1:
        rows += [
            _played(noops, f"{policy}, {name}", part)
            for noops, policy, episodes in played
            for name, part in episodes.by_game(env.games).items()
        ]
    columns = ["policy", "no-ops", "n", "return", "std. error", "95 %", "unfinished"]
    print_table(f"Returns in {env.game}, {env.distribution_mode}", columns, rows)
    columns = ["policy", "no-ops", "steps", "above random", "95 %", "normalised"]
    print_table("Compared", columns, [_compared(cell, env) for cell in cells])


def print_errors(errors: WorldModelErrors, context: int) -> None:
    """Errors of the world model on the terminal, at a few horizons."""
    horizon = len(errors.image_error.n)
    shown = sorted({1, *(round(horizon * part) for part in (0.25, 0.5, 1)), horizon} - {0})
    rows = [
        [label, *(_number(curve.mean[h - 1], digits) for h in shown)]
        for label, curve, digits in [
            ("image error, model", errors.image_error, 5),
            ("image error, last frame copied", errors.copy_image_error, 5),
            ("image error, model sees each frame", errors.looking_image_error, 5),
            ("reward right", errors.reward_accuracy, 3),
            ("all rewards so far right", errors.reward_sum_accuracy, 3),
            ("reward right, always the commonest", errors.constant_reward_accuracy, 3),
            ("continuation right", errors.continuation_accuracy, 3),
            ("continuation right, always goes on", errors.constant_continuation_accuracy, 3),
        ]
    ]
    rows.append(["windows", *(str(errors.image_error.n[h - 1]) for h in shown)])
    caption = (
        f"{_found(errors.uncommon_rewards_found, errors.uncommon_rewards)} uncommon rewards and "
        f"{_found(errors.ends_found, errors.ends)} ends of episodes were foreseen."
    )
    columns = [f"after {context} frames seen", *(f"{h} ahead" for h in shown)]
    print_table("World model, held-out experience", columns, rows, caption)


def grid_tree(cells: Sequence[Cell], env: EnvConfig) -> list[dict[str, Any]]:
    """The grid for JSON, every episode included."""
    return [
        {
            "temperature": cell.temperature,
            "noops": cell.noops,
            "policy": _episodes_tree(cell.policy, env),
            "random": _episodes_tree(cell.random, env),
            "above_random": _estimate_tree(cell.advantage()),
        }
        for cell in cells
    ]


def errors_tree(errors: WorldModelErrors) -> dict[str, Any]:
    """The world model's errors for JSON; entry h of each list is for the horizon h + 1."""
    return {
        name: {part: _list(values) for part, values in value._asdict().items()}
        if isinstance(value, Curve)
        else _finite(value)
        for name, value in errors._asdict().items()
    }


def draw_grid(cells: Sequence[Cell], env: EnvConfig, save: Path) -> Path:
    """The grid as a heat map, a column for each temperature and one for the random policy."""
    noops = sorted({cell.noops for cell in cells})
    lines = [[cell for cell in cells if cell.noops == count] for count in noops]
    columns = ["random", *map(_policy, lines[0])]
    played = [[line[0].random, *(cell.policy for cell in line)] for line in lines]
    return plot_grid(
        [[episodes.estimate() for episodes in line] for line in played],
        [f"up to {count} no-ops" if count else "no no-ops" for count in noops],
        columns,
        save,
        f"Return in {env.game}",
        [[f"{episodes.unfinished} unfinished" if episodes.unfinished else "" for episodes in line] for line in played],
    )


def draw_errors(errors: WorldModelErrors, save: Path) -> Path:
    """Image error, reward accuracy and continuation accuracy against the horizon."""
    chart = {
        "Image error, mean squared": [
            _curve("model", errors.image_error),
            _curve("model that sees each frame", errors.looking_image_error),
            _curve("last frame copied", errors.copy_image_error, baseline=True),
        ],
        "Reward accuracy": [
            _curve("this step", errors.reward_accuracy),
            _curve("all steps so far", errors.reward_sum_accuracy),
            _curve("always the commonest", errors.constant_reward_accuracy, baseline=True),
        ],
        "Continuation accuracy": [
            _curve("model", errors.continuation_accuracy),
            _curve("always goes on", errors.constant_continuation_accuracy, baseline=True),
        ],
    }
    return plot_horizon(chart, save, "World model on held-out experience")


def _curve(label: str, curve: Curve, baseline: bool = False) -> HorizonCurve:
    return HorizonCurve(label, curve.mean, None if baseline else curve.standard_error, baseline)


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
        "normalised": normalised_return(game, mode, result.mean),
        "mean_length": float(episodes.lengths.mean()),
        "unfinished": episodes.unfinished,
        "returns": episodes.returns.tolist(),
        "lengths": episodes.lengths.tolist(),
        "finished": episodes.finished.tolist(),
    }


def _estimate_tree(result: Estimate) -> dict[str, Any]:
    return {name: _finite(value) for name, value in result._asdict().items()}


def _finite(value: float) -> float | None:
    """JSON has no NaN."""
    return value if math.isfinite(value) else None


def _list(values: np.ndarray) -> list[float | None]:
    return [_finite(value) for value in values.tolist()]


def _policy(cell: Cell) -> str:
    return f"temp. {cell.temperature:g}" if cell.temperature else "greedy"


def _noops(count: int) -> str:
    return f"1 to {count}" if count else "0"


def _played(noops: int, policy: str, episodes: Episodes) -> list[str]:
    result = episodes.estimate()
    interval = f"{_number(result.low)} to {_number(result.high)}"
    numbers = [str(result.n), _number(result.mean), _number(result.standard_error), interval]
    return [policy, _noops(noops), *numbers, str(episodes.unfinished)]


def _compared(cell: Cell, env: EnvConfig) -> list[str]:
    result = cell.advantage()
    interval = f"{_number(result.low)} to {_number(result.high)}"
    normalised = normalised_return(env.game, env.distribution_mode, cell.policy.estimate().mean)
    scaled = "" if normalised is None else _number(normalised, 3)
    steps = f"{cell.policy.lengths.mean():.0f}"
    return [_policy(cell), _noops(cell.noops), steps, f"{result.mean:+.2f}", interval, scaled]


def _number(value: float, digits: int = 2) -> str:
    return "?" if math.isnan(value) else f"{value:.{digits}f}"


def _found(share: float, number: int) -> str:
    return f"{round(share * number)} of {number}" if number else "0 of 0"
