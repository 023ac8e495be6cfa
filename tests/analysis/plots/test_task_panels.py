from __future__ import annotations

import math
from pathlib import Path

import pytest

from worldmodels.analysis.plots.panels import CurveOptions, Level
from worldmodels.analysis.plots.task_panels import Baselines, TaskCurves, load_task_curves, method_panels, task_panels
from worldmodels.analysis.runs.reference_scores import all_packaged_scores, find_scale, packaged_scores
from worldmodels.analysis.runs.tasks import find_task_runs
from worldmodels.core.errors import UserError

PLAIN = CurveOptions(smooth=1)
NONE = Baselines((), all_packaged_scores())


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
    with pytest.raises(UserError, match="None of the tasks has it in the published scores: Unknown baseline 'human'"):
        task_panels(curves, PLAIN, None, Baselines(["human"], all_packaged_scores()))


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
