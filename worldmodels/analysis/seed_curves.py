"""Learning curves of several learners, each the mean over runs that differ in their seed alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from worldmodels.analysis.aggregate import Estimate, estimate
from worldmodels.analysis.load import Series
from worldmodels.analysis.style import COLORS, QUIET, label_steps, panels, save_figure


class SeedCurve(NamedTuple):
    """A learner on a game: an estimate over its seeds at each step that all of them recorded."""

    label: str
    steps: Sequence[int]
    estimates: Sequence[Estimate]

    @classmethod
    def over(cls, label: str, seeds: Sequence[Series]) -> SeedCurve:
        """Return the curve of runs with different seeds; steps that some run has not reached are left out."""
        shared = sorted(set.intersection(*(set(series.steps.tolist()) for series in seeds))) if seeds else []
        columns = [dict(zip(series.steps.tolist(), series.values.tolist(), strict=True)) for series in seeds]
        return cls(label, shared, [estimate([column[step] for column in columns]) for step in shared])


class Panel(NamedTuple):
    """A panel with the curves of one game."""

    title: str
    curves: Sequence[SeedCurve]
    baseline: float
    """A level to compare with, drawn quietly: what the random policy gets."""
    baseline_label: str = "random policy"


def plot_seed_curves(chart: Sequence[Panel], value: str, save: Path | str) -> Path:
    """Draw panels side by side, each estimate with its interval as a band (a single seed has none); return the path.

    Args:
        value: what the vertical axis shows.
    """
    with panels(1, len(chart), 4.6, 3.9) as (figure, places):
        for axes, panel in zip(places, chart, strict=True):
            _draw(axes, panel)
            axes.set_ylabel(value if axes is places[0] else "")
        return save_figure(figure, save)


def _draw(axes: Axes, panel: Panel) -> None:
    axes.axhline(panel.baseline, color=QUIET, linestyle="--", label=panel.baseline_label)
    for curve, color in zip(panel.curves, COLORS, strict=False):
        means, low, high = (np.array([getattr(e, name) for e in curve.estimates]) for name in ("mean", "low", "high"))
        axes.plot(curve.steps, means, color=color, marker="o", markersize=4, label=curve.label)
        axes.fill_between(curve.steps, low, high, color=color, alpha=0.15, linewidth=0)
    axes.set_title(panel.title)
    label_steps(axes)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=8.5)
