"""A policy's returns over a grid of initial no-ops and temperatures, beside those of the random policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from worldmodels.analysis.statistics.aggregate import Estimate, difference
from worldmodels.config.run_config import EvaluationConfig
from worldmodels.evaluation.measures.policy_returns import Episodes


class GridSetting(NamedTuple):
    """The setting under which one cell of the grid is played."""

    temperature: float
    """The temperature of the policy's sampling: 0 is greedy."""
    noops: int
    """The most no-ops at the start of an episode."""
    model_temperature: float | None = None
    """The temperature of the world model's sampling, where the actions are planned in it."""

    @property
    def name(self) -> str:
        """The setting as it stands in the names of metrics and files: "t0.5_noops8"."""
        model = "" if self.model_temperature is None else f"_model{self.model_temperature:g}"
        return f"t{self.temperature:g}{model}_noops{self.noops}"


class Cell(NamedTuple):
    """The episodes that were played under one setting, on the same levels as every other cell."""

    setting: GridSetting
    policy: Episodes
    random: Episodes
    """The episodes of the random policy, with as many no-ops."""

    def advantage(self) -> Estimate:
        """Return by how much the policy's mean return exceeds the random policy's, with the 95 % interval."""
        return difference(self.policy.returns, self.random.returns)


def grid_settings(config: EvaluationConfig, plans: bool = False, samples: bool = True) -> list[GridSetting]:
    """Return all settings: by no-ops, then by temperature, then by the model's temperature.

    Args:
        plans: the player uses the world model, so that its temperature matters.
        samples: the player uses the policy, so that its temperature matters.
    """
    model_temperatures = config.model_temperatures if plans else (None,)
    return [
        GridSetting(temperature, noops, model_temperature)
        for noops in config.noops
        for temperature in (config.temperatures if samples else (1.0,))
        for model_temperature in model_temperatures
    ]


def grid_metrics(cells: Sequence[Cell], games: Sequence[str], agent: str = "policy") -> dict[str, float]:
    """Return the grid as metrics, with the agent's name in front if it is not the policy: `eval/planner_return`.

    The first cell, of the first temperature and number of no-ops that are configured, is the headline `eval/return`.
    Each cell of a larger grid has a name of its own: `eval/return_t0.5_noops8`, and `eval/return_t0.5_noops8_clipped`.
    """
    head = cells[0].policy
    result = head.estimate()
    metrics = {
        "eval/return": result.mean,
        "eval/return_standard_error": result.standard_error,
        "eval/return_clipped": head.clipped_estimate().mean,
        "eval/random_return": cells[0].random.estimate().mean,
        "eval/length": float(head.lengths.mean()),
        "eval/unfinished": float(head.unfinished),
        **{f"eval/{name}": mean for name, mean in head.info_means().items()},
    }
    if len(games) > 1:
        metrics |= {f"eval/return_{game}": part.estimate().mean for game, part in head.by_game(games).items()}
    for setting, policy, _ in cells if len(cells) > 1 else ():
        metrics[f"eval/return_{setting.name}"] = policy.estimate().mean
        metrics[f"eval/return_{setting.name}_clipped"] = policy.clipped_estimate().mean
    if agent == "policy":
        return metrics
    return {name.replace("/", f"/{agent}_", 1): value for name, value in metrics.items()}
