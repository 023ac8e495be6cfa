from __future__ import annotations

import numpy as np

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.envs.config import EnvConfig
from worldmodels.evaluation.measures.returns import Cell, GridSetting, grid_metrics, grid_settings
from worldmodels.evaluation.playing.policy_returns import Episodes


def test_the_grid_has_a_cell_for_each_setting() -> None:
    config = EvaluationConfig(temperatures=(0.5, 0.0), noops=(8, 0), model_temperatures=(1.0, 0.25))
    names = [setting.name for setting in grid_settings(config)]
    assert names == ["t0.5_noops8", "t0_noops8", "t0.5_noops0", "t0_noops0"]
    planned = [setting.name for setting in grid_settings(config, plans=True)]
    assert planned[:2] == ["t0.5_model1_noops8", "t0.5_model0.25_noops8"] and len(planned) == 8
    assert [setting.name for setting in grid_settings(config, samples=False)] == ["t1_noops8", "t1_noops0"]


def test_the_first_cell_is_the_headline_and_each_has_its_name() -> None:
    def episodes(returns: list[float]) -> Episodes:
        values = np.array(returns)
        info = np.array([(1.0,), (0.0,)], [("max/success", np.float64)])
        return Episodes(values, np.clip(values, -1, 1), np.full(2, 7), np.array([True, False]), info)

    random = episodes([0, 1])
    cells = [Cell(GridSetting(0.5, 8), episodes([2, 4]), random), Cell(GridSetting(0, 0), episodes([6, 6]), random)]
    assert grid_metrics(cells, ["coinrun"]) == {
        "eval/return": 3,
        "eval/return_standard_error": 1,
        "eval/return_clipped": 1,
        "eval/random_return": 0.5,
        "eval/length": 7,
        "eval/unfinished": 1,
        "eval/max/success": 0.5,
        "eval/return_t0.5_noops8": 3,
        "eval/return_t0.5_noops8_clipped": 1,
        "eval/return_t0_noops0": 6,
        "eval/return_t0_noops0_clipped": 1,
    }
    seeing = [cells[0]._replace(blind=episodes([2, 1]))]
    assert grid_metrics(seeing, ["coinrun"]) == grid_metrics(cells[:1], ["coinrun"]) | {"eval/blind_return": 1.5}
    alone = grid_metrics(cells[:1], ["coinrun"], "planner")
    assert alone["eval/planner_return"] == 3 and alone["eval/planner_max/success"] == 0.5 and len(alone) == 7


def test_a_policy_is_compared_with_each_baseline() -> None:
    """5 and 7 are 6 on average; 1 and 3 are 2, and 4 and 4 are 4."""

    def episodes(returns: list[float]) -> Episodes:
        values = np.array(returns)
        return Episodes(values, values, np.full(2, 7), np.full(2, True), np.zeros(2, []))

    cell = Cell(GridSetting(1, 0), episodes([5, 7]), episodes([1, 3]), episodes([4, 4]))
    above = cell.advantages(EnvConfig(game="coinrun"))
    assert {name: found.mean for name, found in above.items()} == {"random": 4, "blind": 2}
    assert cell._replace(blind=None).advantages(EnvConfig()).keys() == {"random"}
