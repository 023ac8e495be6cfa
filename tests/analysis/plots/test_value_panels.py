from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worldmodels.analysis.plots.panels import CurveOptions, CurvePanel, Level, Line, curve_table, save_table
from worldmodels.analysis.plots.value_panels import curve_panels
from worldmodels.analysis.runs.groups import RunGroup
from worldmodels.analysis.statistics.group_curve import GroupCurve
from worldmodels.core.errors import UserError


def make(folder: Path, **values: list[float]) -> Path:
    """A run with values, "/" written as "__", at the steps 10, 20, ..."""
    folder.mkdir()
    records: list[dict[str, Any]] = [{"step": 10 * (i + 1)} for i in range(max(map(len, values.values())))]
    for name, numbers in values.items():
        for record, number in zip(records, numbers, strict=False):
            record[name.replace("__", "/")] = number
    (folder / "metrics.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def test_players_without_learning_are_levels_of_the_returns_of_one_task(make_run) -> None:
    played = {"eval/random_return": 2.0, "eval/test_blind_return": 7.0, "eval/test_return": 3.0}
    maze = RunGroup("maze", [make_run("ppo", "maze", [5, 7], 0, "eval/return", others=played)])
    other = RunGroup("coinrun", [make_run("ppo", "coinrun", [5, 7], 0, "eval/return", others=played)])
    seen, unseen = curve_panels([maze], ["eval/return", "eval/test_return"])
    assert (seen.levels, unseen.levels) == ([Level("random play", 2.0)], [Level("blind play", 7.0)])
    (both,) = curve_panels([maze, other], ["eval/return"])
    assert both.levels == []


def test_a_panel_for_each_value_and_a_line_for_each_group(tmp_path: Path) -> None:
    a = [make(tmp_path / f"a{i}", loss=[i, i + 2.0], entropy=[5, 5]) for i in range(2)]
    b = make(tmp_path / "b", loss=[7, 9, 11], entropy=[1])
    loss, entropy = curve_panels([RunGroup("a", a), RunGroup("b", [b])], ["loss", "entropy"], CurveOptions(smooth=2))
    assert (loss.title, loss.window, entropy.window) == ("loss", 2, 2)
    assert [(line.group, line.name, line.runs) for line in loss.lines] == [(0, "a", 2), (1, "b", 1)]
    # Averages of the last two records, then over the runs: (0 + 1) / 2, (1 + 2) / 2.
    assert loss.lines[0].curve.estimate.tolist() == [0.5, 1.5] and loss.lines[0].raw is None
    assert loss.lines[1].curve.estimate.tolist() == [7, 8, 10]
    assert loss.lines[1].raw is not None and loss.lines[1].raw.values.tolist() == [7, 9, 11]
    assert entropy.lines[1].curve.x.tolist() == [10]


def test_performance_is_the_evaluations_return_where_a_group_has_it(tmp_path: Path) -> None:
    both = [make(tmp_path / f"both{i}", eval__return=[1, 2], episode__return=[5, 6]) for i in range(2)]
    young = make(tmp_path / "young", episode__return=[8])
    groups = [RunGroup("both", [*both, young]), RunGroup("one", [make(tmp_path / "one", episode__return=[3, 4])])]
    with pytest.warns(UserWarning, match="'performance' was not recorded in '.*young': left out of its panel"):
        (panel,) = curve_panels(groups, ["performance"])
    assert panel.title == "performance"
    assert [(line.name, line.value, line.runs) for line in panel.lines] == [
        ("both, eval/return", "eval/return", 2),
        ("one, episode/return", "episode/return", 1),
    ]
    (panel,) = curve_panels(groups[1:], ["performance"])
    assert (panel.title, panel.lines[0].name) == ("performance (episode/return)", "one")
    with pytest.raises(UserError, match="No run has a 'performance': neither eval/return nor episode/return"):
        curve_panels([RunGroup("a", [make(tmp_path / "a", loss=[1])])], ["performance"])


def test_what_no_run_has_is_an_error_and_what_some_have_not_a_warning(tmp_path: Path) -> None:
    runs = [make(tmp_path / name, **{name: [1.0]}) for name in ("loss", "entropy")]
    with pytest.warns(UserWarning, match="'loss' was not recorded in '.*entropy'"):
        (panel,) = curve_panels([RunGroup("a", runs[:1]), RunGroup("b", runs[1:])], ["loss"])
    assert [(line.group, line.name) for line in panel.lines] == [(0, "a")]
    with pytest.raises(UserError, match="In '.*loss': Unknown value 'los'. Did you mean 'loss'"):
        curve_panels([RunGroup("a", runs)], ["los"])


def test_an_imagined_return_has_the_real_one_beside_it(tmp_path: Path) -> None:
    run = make(tmp_path / "a", eval__imagined_return=[3, 4], eval__real_return=[1, 2])
    (panel,) = curve_panels([RunGroup("a", [run])], ["eval/imagined_return"])
    assert [(line.name, line.beside) for line in panel.lines] == [("a", False), ("a, eval/real_return", True)]
    assert panel.lines[1].curve.estimate.tolist() == [1, 2]


def test_a_return_has_that_on_test_levels_beside_it_where_there_is_one(tmp_path: Path) -> None:
    runs = [make(tmp_path / "a", eval__return=[3], eval__test_return=[2]), make(tmp_path / "b", eval__return=[1])]
    (panel,) = curve_panels([RunGroup(run.name, [run]) for run in runs], ["performance"])
    names = [("a", False), ("a, eval/test_return", True), ("b", False)]
    assert [(line.name, line.beside) for line in panel.lines] == names


def test_the_table_holds_every_point_and_is_quoted(tmp_path: Path) -> None:
    nan = float("nan")
    curve = GroupCurve(*map(np.array, ([10.0, 20.5], [0.1, 2.0], [nan, 1.5], [nan, 2.5], [1, 2])))
    panel = CurvePanel("loss", [Line(0, 'a "b", c\nd', "loss", curve, 2, None)], 1)
    text = curve_table([panel])
    assert text == (
        "group,value,x,estimate,low,high,runs,panel\r\n"
        '"a ""b"", c\nd",loss,10,0.1,,,1,loss\r\n'
        '"a ""b"", c\nd",loss,20.5,2,1.5,2.5,2,loss\r\n'
    )
    saved = save_table([panel], tmp_path / "new" / "a.csv")
    assert saved.read_bytes() == text.encode()
    assert list(csv.reader(io.StringIO(text, newline="")))[1][0] == 'a "b", c\nd'
