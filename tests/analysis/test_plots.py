from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from worldmodels.analysis.aggregate import Estimate, estimate
from worldmodels.analysis.evaluation_plots import HorizonCurve, plot_grid, plot_horizon
from worldmodels.analysis.load import Series
from worldmodels.analysis.plots import default_window, plot_runs
from worldmodels.core.errors import RunError, UserError


def make_run(folder: Path, records: int = 8) -> Path:
    folder.mkdir()
    names = ("episode/return", "eval/return", "model/image_loss", "policy/entropy", "time/env_steps_per_second")
    lines = [json.dumps({"step": 10 * i, **dict.fromkeys(names, 1.0 + i)}) for i in range(records)]
    (folder / "metrics.jsonl").write_text("".join(line + "\n" for line in lines))
    return folder


def painted(path: Path) -> tuple[int, int]:
    """The size of a picture that is not all of one colour."""
    with Image.open(path) as image:
        assert len(image.convert("RGB").getcolors(1 << 24) or []) > 20
        return image.size


def test_one_value_of_several_runs(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / "one"), make_run(tmp_path / "two")]
    saved = plot_runs(runs, "eval/return", smooth=3, save=tmp_path / "pictures" / "curves.png")
    assert painted(saved) == (1125, 630)


def test_an_imagined_return_stands_beside_the_real_one(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    lines = [json.dumps({"step": i, "eval/imagined_return": i, "eval/real_return": 5 - i}) for i in range(6)]
    (run / "metrics.jsonl").write_text("".join(line + "\n" for line in lines))
    both, one = (
        plot_runs([run], f"eval/{side}_return", save=tmp_path / f"{side}.png") for side in ("imagined", "real")
    )
    assert painted(both) == painted(one)
    assert both.read_bytes() != one.read_bytes()


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
        return plot_runs([run], "eval/return", smooth, tmp_path / "curves.png").read_bytes()

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
        plot_runs([run], "eval/return", smooth=0)
    with pytest.raises(UserError, match=r"saved as \.png, \.svg or \.pdf; received .*curves\.gif"):
        plot_runs([run], "eval/return", save=tmp_path / "curves.gif")
    with pytest.raises(RunError, match="There are no metrics"):
        plot_runs([tmp_path / "nowhere"], "eval/return")
