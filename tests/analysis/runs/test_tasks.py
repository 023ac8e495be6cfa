from __future__ import annotations

from pathlib import Path

import pytest

from worldmodels.analysis.runs.groups import Grouping, find_groups
from worldmodels.analysis.runs.reference_scores import Task, find_task_runs
from worldmodels.core.errors import RunError, UserError


def test_runs_by_method_and_task(tmp_path: Path, make_run) -> None:
    pong = [make_run("ppo", "ALE/Pong-v5", [1], seed) for seed in range(2)]
    hard = make_run("ppo", "maze", [1], mode="hard")
    easy = make_run("sac", "maze", [1])
    found = find_task_runs([tmp_path / "runs"])
    tasks = [Task("ALE/Pong-v5", "easy"), Task("maze", "hard"), Task("maze", "easy")]
    assert found.methods == ["agent.kind=ppo", "agent.kind=sac"]
    assert found.tasks == tasks
    assert found.runs == {(0, tasks[0]): pong, (0, tasks[1]): [hard], (1, tasks[2]): [easy]}
    assert list(found.titles().values()) == ["ALE/Pong-v5", "maze (hard)", "maze (easy)"]


def test_tasks_are_chosen_by_their_games(tmp_path: Path, make_run) -> None:
    for game in ("ALE/Pong-v5", "maze", "coinrun"):
        make_run("ppo", game, [1])
    found = find_task_runs([tmp_path / "runs"], chosen=["maze", "Pong", "maze"])
    assert [task.game for task in found.tasks] == ["maze", "ALE/Pong-v5"]
    assert {task.game for _, task in found.runs} == {"maze", "ALE/Pong-v5"}
    with pytest.raises(UserError, match="Unknown task 'coin'. Did you mean 'coinrun'. Tasks: Pong, coinrun, maze"):
        find_task_runs([tmp_path / "runs"], chosen=["coin"])


def test_methods_may_be_paths(tmp_path: Path, make_run) -> None:
    for method, game in (("ppo", "maze"), ("sac", "maze"), ("td3", "coinrun")):
        make_run(method, game, [1])
    (tmp_path / "runs" / "td3").rename(tmp_path / "runs" / "sac" / "td3")
    folders = [tmp_path / "runs" / "sac", tmp_path / "runs" / "ppo"]
    assert find_task_runs(folders, Grouping(by="path")).methods == ["sac", "ppo"]
    assert find_task_runs(folders, Grouping(by="path", names=["new", "old"])).methods == ["new", "old"]
    # What an earlier path stands for belongs to it.
    (group,) = find_groups([tmp_path, *folders], Grouping(by="path"))
    assert len(group.runs) == 3


def test_runs_whose_task_is_not_known(tmp_path: Path, make_run) -> None:
    run = make_run("ppo", "maze", [1])
    with pytest.raises(UserError, match="--count does not fit"):
        find_task_runs([run], Grouping(by="run"))
    with pytest.raises(UserError, match="Unknown grouping 'runs'. Did you mean 'run'"):
        find_task_runs([run], Grouping(by="runs"))
    (run / "config.yaml").write_text("seed: 0\n")
    with pytest.raises(RunError, match="its config.yaml has no env.game"):
        find_task_runs([run])
    (run / "config.yaml").unlink()
    with pytest.warns(UserWarning, match="missing"), pytest.raises(RunError, match="it has no config.yaml"):
        find_task_runs([run])
