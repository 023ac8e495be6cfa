from __future__ import annotations

from pathlib import Path

import pytest

from worldmodels.analysis.plots.panels import CurveOptions
from worldmodels.analysis.plots.task_panels import load_task_curves, with_shared_tasks
from worldmodels.analysis.runs.reference_scores import Task
from worldmodels.analysis.runs.tasks import find_task_runs
from worldmodels.core.errors import UserError

PLAIN = CurveOptions(smooth=1)


def test_a_method_has_one_value_in_all_its_tasks(tmp_path: Path, make_run) -> None:
    make_run("ppo", "maze", [1, 2], value="eval/return")
    make_run("ppo", "coinrun", [3], value="eval/return")
    make_run("sac", "maze", [5], value="eval/return")
    make_run("sac", "coinrun", [6])
    with pytest.warns(UserWarning, match="'performance' was not recorded in '.*maze_easy_0': left out"):
        curves = load_task_curves(find_task_runs([tmp_path / "runs"]), "performance", PLAIN)
    # One of sac's tasks has no evaluation, so its episodes count, in the task that recorded some.
    assert curves.values == ["eval/return", "episode/return"]
    assert curves.methods == ["agent.kind=ppo, eval/return", "agent.kind=sac, episode/return"]
    assert curves.series[0, Task("maze", "easy")][0].values.tolist() == [1, 2]
    assert (1, Task("maze", "easy")) not in curves.series
    with pytest.warns(UserWarning, match="Not every method has runs in maze"):
        assert with_shared_tasks(curves).tasks == [Task("coinrun", "easy")]


def test_what_no_run_has_is_an_error(tmp_path: Path, make_run) -> None:
    make_run("ppo", "maze", [1])
    make_run("sac", "coinrun", [1])
    found = find_task_runs([tmp_path / "runs"])
    with pytest.raises(UserError, match="Did you mean 'episode/return'"):
        load_task_curves(found, "episode/returns", PLAIN)
    with pytest.raises(UserError, match=r"No task is shared by all 2 methods \(agent.kind=ppo, agent.kind=sac\)"):
        with_shared_tasks(load_task_curves(found, "episode/return", PLAIN))
