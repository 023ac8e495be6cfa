"""Learning curves: one value of several runs, or one run at a glance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from worldmodels.analysis.aggregate import moving_average
from worldmodels.analysis.load import Series, load_metrics, load_series, run_label
from worldmodels.analysis.style import QUIET, label_steps, panels, save_figure
from worldmodels.core.errors import UserError


def plot_runs(
    paths: Sequence[Path | str], value: str, smooth: int = 1, save: Path | str = "curves.png", x: str = "step"
) -> Path:
    """One value of one or more runs against real environment steps, one line each; gives the picture's path.

    Args:
        x: another recorded counter in place of the steps, `model/updates` for example.
        smooth: records that each point averages, itself and those before; the raw line stays behind it, pale.

    Raises:
        RunError: a folder has no metrics.
        UserError: the value was not recorded, or `smooth` is not positive.
    """
    _check_smooth(smooth)
    curves = [(run_label(path), load_series(path, value, x)) for path in paths]
    with panels(1, 1, 7.5, 4.2) as (figure, (axes,)):
        for label, series in curves:
            _draw(axes, series, label, smooth)
        axes.set_title(value)
        label_steps(axes, "environment steps" if x == "step" else x)
        if len(curves) > 1:
            axes.legend()
        return save_figure(figure, save)


def plot_learning(path: Path | str, save: Path | str, smooth: int = 1) -> Path:
    """A run at a glance: returns, losses of the world model, the policy, and speed."""
    _check_smooth(smooth)
    metrics = load_metrics(path)
    chosen = {title: {n: s for n, s in metrics.items() if belongs(n)} for title, belongs in _PANELS.items()}
    shown = {title: curves for title, curves in chosen.items() if curves}
    if not shown:
        raise UserError(f"The run '{path}' has recorded nothing to plot yet: its metrics hold {list(metrics)}.")
    rows = -(-len(shown) // 2)
    with panels(rows, min(2, len(shown)), 5.4, 3.3, title=run_label(path)) as (figure, places):
        for axes, (title, curves) in zip(places, shown.items(), strict=False):
            _draw_panel(axes, title, curves, smooth)
        for axes in places[len(shown) :]:
            axes.set_visible(False)
        return save_figure(figure, save)


_RETURNS = {"episode/return": "training episodes", "eval/return": "evaluation", "eval/random_return": "random policy"}

_PANELS: dict[str, Callable[[str], bool]] = {
    "Return per episode": lambda name: name in _RETURNS,
    "World model: losses": lambda name: name.startswith("model/") and (name.endswith("_loss") or name == "model/kl"),
    "Policy": lambda name: name in ("policy/entropy", "policy/critic_loss", "policy/value", "policy/return"),
    "Speed, per second": lambda name: name.endswith("_per_second"),
}


def _draw_panel(axes: Axes, title: str, curves: Mapping[str, Series], smooth: int) -> None:
    for name, series in curves.items():
        label = _RETURNS.get(name) or name.split("/")[-1].removesuffix("_per_second").replace("_", " ")
        _draw(axes, series, label, smooth, QUIET if name == "eval/random_return" else None)
    if title.endswith("losses") and all((series.values > 0).all() for series in curves.values()):
        axes.set_yscale("log")
    if title.startswith("Speed"):
        axes.set_ylim(bottom=0)
    axes.set_title(title)
    axes.legend()
    label_steps(axes)


def _draw(axes: Axes, series: Series, label: str, smooth: int, color: str | None = None) -> None:
    (line,) = axes.plot(series.steps, moving_average(series.values, smooth), label=label, color=color)
    if len(series.steps) < 2:
        line.set_marker("o")
    if smooth > 1:
        axes.plot(series.steps, series.values, color=line.get_color(), alpha=0.25, linewidth=0.9, zorder=1)


def _check_smooth(smooth: int) -> None:
    if smooth < 1:
        raise UserError(f"Curves are smoothed over at least 1 record; received {smooth}.")
