"""Learning curves: one value of several runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from worldmodels.analysis.aggregate import moving_average
from worldmodels.analysis.load import Series, load_series, run_label
from worldmodels.analysis.style import label_steps, panels, save_figure
from worldmodels.core.errors import UserError

BESIDE = {"eval/imagined_return": "eval/real_return", "eval/test_imagined_return": "eval/test_real_return"}
"""Values that say little without another one, which is drawn beside them, dashed."""


def plot_runs(
    paths: Sequence[Path | str],
    value: str,
    smooth: int | None = None,
    save: Path | str = "curves.png",
    x: str = "step",
) -> Path:
    """Draw one value of one or more runs against real environment steps, a line each; return the picture's path.

    Args:
        x: another recorded counter in place of the steps, `model/updates` for example.
        smooth: records that each point averages, itself and those before; the raw line stays behind it, pale. By
            default an eighth of the records of the longest run.

    Raises:
        RunError: a folder has no metrics.
        UserError: the value was not recorded, or `smooth` is not positive.
    """
    if smooth is not None and smooth < 1:
        raise UserError(f"Curves are smoothed over at least 1 record; received {smooth}.")
    curves = [(run_label(path), load_series(path, value, x)) for path in paths]
    longest = max(len(series.steps) for _, series in curves)
    window = min(smooth, longest) if smooth else default_window([series for _, series in curves])
    with panels(1, 1, 7.5, 4.2) as (figure, (axes,)):
        for path, (label, series) in zip(paths, curves, strict=True):
            color = _draw(axes, series, label, window)
            if value in BESIDE:
                other = load_series(path, BESIDE[value], x)
                smoothed = moving_average(other.values, window)
                axes.plot(other.steps, smoothed, color=color, linestyle="--", label=f"{label}, {BESIDE[value]}")
        axes.set_title(value if window == 1 else f"{value}, mean of {window} records")
        label_steps(axes, "environment steps" if x == "step" else x)
        if len(curves) > 1 or value in BESIDE:
            axes.legend()
        return save_figure(figure, save)


def default_window(curves: Sequence[Series]) -> int:
    """Return the records that a point averages by default: an eighth of those of the longest curve, 1 at least."""
    return max(1, max(len(series.steps) for series in curves) // 8)


def _draw(axes: Axes, series: Series, label: str, window: int) -> Any:
    """Draw a curve, and return its colour."""
    (line,) = axes.plot(series.steps, moving_average(series.values, window), label=label)
    if len(series.steps) < 2:
        line.set_marker("o")
    if window > 1:
        axes.plot(series.steps, series.values, color=line.get_color(), alpha=0.25, linewidth=0.9, zorder=1)
    return line.get_color()
