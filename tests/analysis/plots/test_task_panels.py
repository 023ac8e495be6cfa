from __future__ import annotations

import math
from pathlib import Path

import pytest

from worldmodels.analysis.plots.panels import CurveOptions, Level
from worldmodels.analysis.plots.task_panels import (
    Baselines,
    TaskCurves,
    load_task_curves,
    method_panels,
    task_panels,
    with_shared_tasks,
)
from worldmodels.analysis.runs.reference_scores import (
    ReferenceScores,
    Task,
    all_packaged_scores,
    find_scale,
    find_task_runs,
    packaged_scores,
)
from worldmodels.core.errors import UserError

PLAIN = CurveOptions(smooth=1)
NONE = Baselines((), all_packaged_scores())


PLAYED = {"eval/random_return": 2.0, "eval/blind_return": 6.0, "eval/test_blind_return": 7.0}


def test_players_without_learning_are_levels(tmp_path: Path, make_run) -> None:
    """The maze's easy range is 5 to 10. Blind play had 6 and 8 in its two runs; in coinrun nothing was recorded."""
    make_run("ppo", "maze", [5, 7], 0, "eval/return", others=PLAYED)
    make_run("ppo", "maze", [5, 7], 1, "eval/return", others={**PLAYED, "eval/blind_return": 8.0})
    make_run("ppo", "coinrun", [5, 7], 0, "eval/return")
    curves = load_task_curves(find_task_runs([tmp_path / "runs"]), "performance", PLAIN)
    panels = {panel.title: list(panel.levels) for panel in task_panels(curves, PLAIN, None, NONE)}
    assert panels == {"maze": [Level("random play", 2.0), Level("blind play", 7.0)], "coinrun": []}
    scaled = {panel.title: panel.levels for panel in task_panels(curves, PLAIN, find_scale("range"), NONE)}
    assert [level.y for level in scaled["maze"]] == pytest.approx([-0.6, 0.4])


def test_a_value_that_is_no_return_has_no_players(tmp_path: Path, make_run) -> None:
    make_run("ppo", "maze", [5, 7], 0, "eval/length", others=PLAYED)
    curves = load_task_curves(find_task_runs([tmp_path / "runs"]), "eval/length", PLAIN)
    assert curves.played == {Task("maze", "easy"): {}}


@pytest.fixture
def curves(tmp_path: Path, make_run) -> TaskCurves:
    """Method ppo in maze (5 to 10 in easy mode) and coinrun, method sac in maze alone."""
    for seed in range(2):
        make_run("ppo", "maze", [5, 7.5 + seed], seed)
    make_run("ppo", "coinrun", [10, 10])
    make_run("sac", "maze", [0, 5])
    return load_task_curves(find_task_runs([tmp_path / "runs"]), "episode/return", PLAIN)


def test_a_panel_for_each_task(curves: TaskCurves) -> None:
    coinrun, maze = task_panels(curves, PLAIN, None, NONE)
    assert (coinrun.title, maze.title) == ("coinrun", "maze")
    assert [(line.group, line.name, line.runs) for line in maze.lines] == [
        (0, "agent.kind=ppo", 2),
        (1, "agent.kind=sac", 1),
    ]
    assert maze.lines[0].curve.estimate.tolist() == [5, 8]
    assert [line.name for line in coinrun.lines] == ["agent.kind=ppo"]


def test_returns_and_baselines_on_a_scale(curves: TaskCurves) -> None:
    baselines = Baselines(["high"], packaged_scores("procgen"))
    coinrun, maze = task_panels(curves, PLAIN, find_scale("range"), baselines)
    # (5 - 5) / (10 - 5), (8 - 5) / 5; (0 - 5) / 5, 0.
    assert maze.lines[0].curve.estimate.tolist() == pytest.approx([0, 0.6])
    assert maze.lines[1].curve.estimate.tolist() == [-1, 0]
    assert maze.levels == coinrun.levels == [Level("high", 1)]
    raw = task_panels(curves, PLAIN, None, baselines)
    assert [panel.levels for panel in raw] == [[Level("high", 10)]] * 2
    with pytest.raises(UserError, match="'coinrun' has no scores 'random' and 'human' in the published scores"):
        task_panels(curves, PLAIN, find_scale("human"), NONE)
    with pytest.raises(UserError, match="None of the tasks has it in the published scores: Unknown baseline 'humna'"):
        task_panels(curves, PLAIN, None, Baselines(["humna"], all_packaged_scores()))


@pytest.mark.parametrize("scores", [all_packaged_scores(), packaged_scores("procgen")])
def test_a_baseline_of_other_tasks_is_left_out(curves: TaskCurves, scores: ReferenceScores) -> None:
    with pytest.warns(UserWarning, match="Unknown baseline 'human'.* It is left out."):
        raw = task_panels(curves, PLAIN, None, Baselines(["human", "high"], scores))
    assert [panel.levels for panel in raw] == [[Level("high", 10)]] * 2


def test_a_panel_for_each_method(curves: TaskCurves) -> None:
    ppo, sac = method_panels(curves, PLAIN, None)
    assert (ppo.title, sac.title) == ("agent.kind=ppo", "agent.kind=sac")
    # A task has the same number, and so the same colour, in all panels.
    assert [(line.group, line.name, line.runs) for line in ppo.lines] == [(0, "coinrun", 1), (1, "maze", 2)]
    assert [(line.group, line.name) for line in sac.lines] == [(1, "maze")]


def test_limits_cut_lines_and_panels(curves: TaskCurves) -> None:
    coinrun, maze = task_panels(curves, PLAIN._replace(limits=(15, math.inf)), None, NONE)
    assert coinrun.lines[0].curve.x.tolist() == maze.lines[1].curve.x.tolist() == [20]
    with pytest.raises(UserError, match="Nothing was recorded from 30 to 40 of 'step'"):
        task_panels(curves, PLAIN._replace(limits=(30, 40)), None, NONE)


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
