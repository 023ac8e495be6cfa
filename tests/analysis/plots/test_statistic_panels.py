from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from worldmodels.analysis.plots.panels import CurveOptions, Level
from worldmodels.analysis.plots.statistic_panels import AGGREGATES, POINTS, aggregate_panels
from worldmodels.analysis.plots.task_panels import Baselines, load_task_curves
from worldmodels.analysis.runs.reference_scores import ReferenceScores, find_scale, find_task_runs, packaged_scores
from worldmodels.core.errors import UserError

PLAIN = CurveOptions(smooth=1)
ATARI = packaged_scores("atari")


def panels(folder: Path, normalize: str = "human", baselines=(), names=(), options=PLAIN, scores=ATARI):
    curves = load_task_curves(find_task_runs([folder / "runs"]), "episode/return", options)
    return aggregate_panels(curves, options, find_scale(normalize), Baselines(baselines, scores), names)


def test_every_statistic_of_two_games(tmp_path: Path, make_run) -> None:
    # Boxing: random 0.1, human 12.1, record 100. Freeway: random 0, human 29.6, record 38.
    make_run("ppo", "ALE/Boxing-v5", [0.1, 24.1])
    make_run("ppo", "ALE/Boxing-v5", [0.1, 48.1], seed=1)
    make_run("ppo", "ALE/Freeway-v5", [0, 14.8])
    drawn = panels(tmp_path, baselines=["human", "random"])
    assert [panel.title for panel in drawn] == [aggregate.title for aggregate in AGGREGATES.values()]
    last = {panel.title: float(panel.lines[0].curve.estimate[-1]) for panel in drawn}
    # Human-normalised: 2 and 4 in Boxing, 0.5 in Freeway.
    assert last["Mean"] == last["Median"] == pytest.approx((3 + 0.5) / 2)
    assert last["Interquartile mean"] == pytest.approx((2 + 4 + 0.5) / 3)
    record = (24 / 99.9 + 48 / 99.9) / 2, 14.8 / 38
    assert last["Record mean"] == last["Clipped record mean"] == pytest.approx(sum(record) / 2)
    assert (last["Tasks above human"], last["Tasks below human"]) == (1, 1)
    mean = drawn[0].lines[0]
    assert mean.curve.x.tolist() == [10, 20] and mean.runs == 3 and mean.curve.runs.tolist() == [3, 3]
    # The two runs of Boxing are drawn anew: both of one kind are more than 2.5 % of the draws.
    assert [mean.curve.low[-1], mean.curve.high[-1]] == pytest.approx([(2 + 0.5) / 2, (4 + 0.5) / 2])
    levels = {panel.title: list(panel.levels) for panel in drawn}
    assert levels["Mean"] == [Level("human", 1), Level("random", 0)]
    assert levels["Record mean"] == [Level("human", pytest.approx((12 / 99.9 + 29.6 / 38) / 2))]
    assert levels["Tasks above human"] == []


def test_scores_above_a_record_count_as_one(tmp_path: Path, make_run) -> None:
    make_run("ppo", "ALE/Freeway-v5", [76])
    record, clipped = panels(tmp_path, names=["record_mean", "clipped_record_mean"])
    assert (record.lines[0].curve.estimate, clipped.lines[0].curve.estimate) == ([2], [1])
    assert np.isnan(record.lines[0].curve.low).all()


def test_which_statistics_are_possible(tmp_path: Path, make_run) -> None:
    make_run("ppo", "ALE/Surround-v5", [1])
    titles = [panel.title for panel in panels(tmp_path)]
    assert titles == ["Mean", "Median", "Interquartile mean", "Tasks above human", "Tasks below human"]
    assert [panel.title for panel in panels(tmp_path, "none")] == ["Mean", "Median", "Interquartile mean"]
    assert [panel.title for panel in panels(tmp_path, "none", names=["above_human"])] == ["Tasks above human"]
    with pytest.raises(UserError, match="'ALE/Surround-v5' has no scores 'random' and 'record'"):
        panels(tmp_path, names=["record_mean"])
    with pytest.raises(UserError, match="Unknown statistic 'avg'. Statistics: mean, median, iqm, record_mean"):
        panels(tmp_path, names=["avg"])
    none = ReferenceScores("nothing", {})
    assert len(panels(tmp_path, "none", scores=none)) == 3


def test_a_curve_reaches_as_far_as_all_its_runs(tmp_path: Path, make_run) -> None:
    make_run("ppo", "ALE/Freeway-v5", list(range(300)))
    make_run("ppo", "ALE/Boxing-v5", list(range(200)))
    with pytest.warns(UserWarning, match="'.*' over tasks end at 2000 of 'step', where a run in ALE/Boxing-v5 does"):
        (panel,) = panels(tmp_path, "none", names=["mean"])
    x = panel.lines[0].curve.x
    assert len(x) == POINTS and (x[0], x[-1]) == (10, 2000)
    assert panel.lines[0].curve.estimate[-1] == 199
    (cut,) = panels(tmp_path, "none", names=["mean"], options=PLAIN._replace(limits=(505, 1000)))
    assert (cut.lines[0].curve.x[0], cut.lines[0].curve.x[-1]) == (505, 1000)
    with pytest.raises(
        UserError, match="within the limits: one in ALE/Boxing-v5 begins at 10, one in ALE/Boxing-v5 ends at 2000"
    ):
        panels(tmp_path, "none", options=PLAIN._replace(limits=(2500, math.inf)))
