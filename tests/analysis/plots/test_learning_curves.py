from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from worldmodels.analysis.plots.evaluation_plots import HorizonCurve, plot_grid, plot_horizon
from worldmodels.analysis.plots.learning_curves import TaskView, plot_runs, plot_tasks
from worldmodels.analysis.plots.panel_drawing import default_columns
from worldmodels.analysis.plots.panels import DEFAULT, CurveOptions, default_window, shown_range
from worldmodels.analysis.runs.groups import Grouping
from worldmodels.analysis.runs.records import Series
from worldmodels.analysis.statistics.bootstrap import Estimate, estimate
from worldmodels.core.errors import RunError, UserError


def make_run(folder: Path, records: int = 8, name: str = "", seed: int = 0) -> Path:
    folder.mkdir(parents=True)
    names = ("episode/return", "eval/return", "model/image_loss", "policy/entropy", "time/env_steps_per_second")
    lines = [json.dumps({"step": 10 * i, **dict.fromkeys(names, 1.0 + i)}) for i in range(records)]
    (folder / "metrics.jsonl").write_text("".join(line + "\n" for line in lines))
    (folder / "config.yaml").write_text(f"seed: {seed}\nname: {name or folder.name}\n")
    return folder


def painted(path: Path) -> tuple[int, int]:
    """The size of a picture that is not all of one colour."""
    with Image.open(path) as image:
        assert len(image.convert("RGB").getcolors(1 << 24) or []) > 20
        return image.size


def test_one_value_of_several_runs(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / "one"), make_run(tmp_path / "two")]
    saved = plot_runs(runs, "eval/return", CurveOptions(smooth=3), save=tmp_path / "pictures" / "curves.png")
    assert painted(saved) == (1125, 630)


def test_an_imagined_return_stands_beside_the_real_one(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    lines = [json.dumps({"step": i, "eval/imagined_return": i, "eval/real_return": 5 - i}) for i in range(6)]
    (run / "metrics.jsonl").write_text("".join(line + "\n" for line in lines))
    (run / "config.yaml").write_text("seed: 0\n")
    both, one = (
        plot_runs([run], f"eval/{side}_return", save=tmp_path / f"{side}.png") for side in ("imagined", "real")
    )
    assert painted(both) == painted(one)
    assert both.read_bytes() != one.read_bytes()


def test_seeds_are_one_line_and_values_are_panels(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / "runs" / f"{name}_{seed}", name=name, seed=seed) for name in "ab" for seed in range(3)]
    assert painted(plot_runs([tmp_path / "runs"], "eval/return", save=tmp_path / "curves.png")) == (1125, 630)
    # Two panels, and below them the legend in one row.
    two = plot_runs(runs, ["performance", "policy/entropy"], save=tmp_path / "two.png")
    assert painted(two) == (1800, 630)
    three = plot_runs(runs, ["performance", "policy/entropy", "model/image_loss"], save=tmp_path / "three.png")
    assert painted(three) == (1800, 1215)


def drawn_table(tmp_path: Path, options: CurveOptions = DEFAULT, **more: Any) -> list[list[str]]:
    """What is drawn of the runs in a folder, without the header."""
    save, export = tmp_path / "a.png", tmp_path / "a.csv"
    plot_runs([tmp_path / "runs"], "eval/return", options, save=save, export=export, **more)
    with open(tmp_path / "a.csv", newline="") as file:
        return list(csv.reader(file))[1:]


def test_which_runs_are_drawn_and_how_they_are_grouped(tmp_path: Path) -> None:
    for name in "ab":
        for seed in range(2):
            make_run(tmp_path / "runs" / f"{name}_{seed}", 2, name, seed)

    def names(**more: Any) -> list[str]:
        return list(dict.fromkeys(row[0] for row in drawn_table(tmp_path, CurveOptions(smooth=1), **more)))

    assert names() == ["name=a", "name=b"]
    assert names(grouping=Grouping(by="run"))[:2] == ["name=a, seed=0", "name=a, seed=1"]
    assert names(grouping=Grouping(select=["b_"])) == ["b"]
    assert names(grouping=Grouping(exclude=["a_"], by="run", names=["x", "y"])) == ["x", "y"]
    row = drawn_table(tmp_path, CurveOptions(smooth=1, estimator="max"))[0]
    assert row == ["name=a", "eval/return", "0", "1", "", "", "2", "eval/return"]


def test_a_few_wide_points_of_bands_do_not_flatten_the_lines() -> None:
    low, high = np.full(21, 2.0), np.full(21, 8.0)
    assert shown_range((3, 6), low, high, (1.5, 8.5)) == (1.5, 8.5)
    # One of 21 points reaches to 100 and -100: at most half of the height of the others, 8 - 2, is added.
    low[0], high[0] = -100, 100
    assert shown_range((3, 6), low, high, (-110, 110)) == (-1, 11)
    # A flat line shows its band, and where no band is, nothing is cut.
    assert shown_range((4.9, 5.1), low, high, (-110, 110)) == (-1, 11)
    assert shown_range((0, 1), np.full(3, math.nan), np.full(3, math.nan), (0, 1)) == (0, 1)


@pytest.mark.parametrize("name", ["$", "$a$", "_a", "a\nb", "名前", "x" * 300, "{}%", "bad\udcff"])
@pytest.mark.filterwarnings("ignore:Glyph")
def test_names_may_hold_anything(tmp_path: Path, name: str) -> None:
    make_run(tmp_path / "runs" / "a", name="a")
    make_run(tmp_path / "runs" / "b", name="b")
    rows = drawn_table(tmp_path, grouping=Grouping(names=[name, "plain"]))
    assert {row[0] for row in rows} == {name.encode(errors="backslashreplace").decode(), "plain"}


def test_the_same_curves_give_the_same_bytes(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    first = plot_runs([run], "eval/return", save=tmp_path / "first.png").read_bytes()
    assert plot_runs([run], "eval/return", save=tmp_path / "second.png").read_bytes() == first


def test_by_default_a_point_averages_an_eighth_of_the_records(tmp_path: Path) -> None:
    def window(records: int) -> int:
        return default_window([Series(np.arange(n), np.zeros(n)) for n in (5, records)])

    assert [window(records) for records in (1, 15, 16, 1000)] == [1, 1, 2, 125]
    run = make_run(tmp_path / "run", records=100)

    def drawn(smooth: int | None) -> bytes:
        return plot_runs([run], "eval/return", CurveOptions(smooth=smooth), save=tmp_path / "curves.png").read_bytes()

    assert drawn(None) == drawn(12) != drawn(1)


def test_horizon_curves(tmp_path: Path) -> None:
    gap = np.array([0.1, 0.2, math.nan])
    chart = {
        "Image error": [HorizonCurve("model", gap, gap / 10), HorizonCurve("copy", gap * 2, baseline=True)],
        "Reward accuracy": [HorizonCurve("model", [1.0, 1.0, 0.5])],
    }
    assert painted(plot_horizon(chart, tmp_path / "horizon.png", "World model")) == (1380, 585)


def test_a_grid_of_returns(tmp_path: Path) -> None:
    unknown = Estimate(1, 3.0, math.nan, math.nan, math.nan)
    cells = [[estimate([1, 2, 3]), unknown], [estimate([5, 5, 5]), estimate([])]]
    notes = [["", "1 unfinished"], ["", ""]]
    assert painted(plot_grid(cells, ["0", "8"], ["a", "b"], tmp_path / "grid.png", "Return", notes)) == (885, 480)
    row = plot_grid([[estimate([1, 2, 3]), estimate([5, 6, 7])]], ["0"], ["a", "b"], tmp_path / "row.png")
    with Image.open(row) as image:
        colors = image.convert("RGB").getcolors(1 << 24) or []
        shades = sorted(count for count, color in colors if color != (255, 255, 255))
    # Two cells of about 300 by 200 pixels, each of one shade.
    assert shades[-2] > 30_000


def test_what_cannot_be_drawn_is_told(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    with pytest.raises(UserError, match="Did you mean 'eval/return'"):
        plot_runs([run], "eval/returns")
    with pytest.raises(UserError, match="at least 1 record; received 0"):
        plot_runs([run], "eval/return", CurveOptions(smooth=0))
    with pytest.raises(UserError, match="Unknown estimator 'avg'.*Estimators: mean, median, min, max, iqm"):
        plot_runs([run], "eval/return", CurveOptions(estimator="avg"))
    with pytest.raises(UserError, match=r"saved as \.png, \.svg or \.pdf; received .*curves\.gif"):
        plot_runs([run], "eval/return", save=tmp_path / "curves.gif")
    with pytest.raises(RunError, match="There is no folder '.*nowhere', and beside it none whose name begins with"):
        plot_runs([tmp_path / "nowhere"], "eval/return")


GAMES = ("coinrun", "maze", "heist", "ninja")


@pytest.fixture
def folder(tmp_path: Path, make_run) -> Path:
    for game in GAMES:
        for seed in range(2):
            make_run("ppo", game, [5, 6 + seed, 8], seed)
            make_run("sac", game, [5, 5, 9], seed)
    return tmp_path / "runs"


@pytest.mark.parametrize(
    ("view", "size"),
    [
        # Two rows of two panels; two panels, seven, of which four in a row; each with one or two rows of the legend.
        (TaskView("tasks", normalize="range", baselines=["high"]), (1110, 915)),
        (TaskView("tasks", columns=4), (2220, 480)),
        (TaskView("methods"), (1110, 510)),
        (TaskView("aggregate", normalize="range"), (1665, 480)),
        (TaskView("seeds"), (900, 354)),
    ],
)
def test_views_are_painted(folder: Path, tmp_path: Path, view: TaskView, size: tuple[int, int]) -> None:
    first = plot_tasks([folder], view, save=tmp_path / "first.png")
    with Image.open(first) as image:
        assert len(image.convert("RGB").getcolors(1 << 24) or []) > 20
        assert image.size == size
    assert plot_tasks([folder], view, save=tmp_path / "second.png").read_bytes() == first.read_bytes()


def test_what_is_drawn_as_a_table(folder: Path, tmp_path: Path) -> None:
    view, export = TaskView("tasks", tasks=["maze"], baselines=["high"]), tmp_path / "a.csv"
    plot_tasks([folder], view, CurveOptions(smooth=1, limits=(25, 40)), save=tmp_path / "a.png", export=export)
    with open(export, newline="") as file:
        rows = list(csv.reader(file))[1:]
    assert rows == [
        ["agent.kind=ppo", "episode/return", "30", "8", "8", "8", "2", "maze"],
        ["agent.kind=sac", "episode/return", "30", "9", "9", "9", "2", "maze"],
    ]


def test_task_views_that_cannot_be_drawn_are_told(folder: Path, tmp_path: Path) -> None:
    wrong = {
        "Unknown view 'task'. Did you mean 'tasks'": TaskView("task"),
        "Only returns can be normalised, and 'loss' is none": TaskView("tasks", "loss", normalize="range"),
        "At least 1 panel stands in a row; received 0": TaskView("tasks", columns=0),
        "cannot be read": TaskView("tasks", scores=str(tmp_path / "scores")),
        "no file of scores 'humans'": TaskView("tasks", normalize="humans"),
    }
    for words, view in wrong.items():
        with pytest.raises(UserError, match=words):
            plot_tasks([folder], view, save=tmp_path / "a.png")
    with pytest.raises(UserError, match="first position shown must be before the last; received 5 and 5"):
        plot_tasks([folder], TaskView("tasks"), CurveOptions(limits=(5, 5)), save=tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()


def test_columns_by_default() -> None:
    assert [default_columns(count) for count in (1, 2, 3, 4, 5, 7, 9, 16, 57)] == [1, 2, 3, 2, 3, 4, 3, 4, 6]
