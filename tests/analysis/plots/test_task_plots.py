from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PIL import Image

from worldmodels.analysis.plots.learning_curves import TaskView, plot_tasks
from worldmodels.analysis.plots.panel_drawing import default_columns
from worldmodels.analysis.plots.panels import CurveOptions
from worldmodels.core.errors import UserError

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


def test_what_cannot_be_drawn_is_told(folder: Path, tmp_path: Path) -> None:
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
