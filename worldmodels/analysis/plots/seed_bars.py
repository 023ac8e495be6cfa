"""Bars that show how many runs, each with a seed of its own, a method has in each task."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.ticker import MaxNLocator

from worldmodels.analysis.plots.legend import plain, room_for, wrapped
from worldmodels.analysis.plots.style import COLORS, INK, panels, save_figure
from worldmodels.analysis.runs.task_runs import TaskRuns

ROW, PANEL = 0.24, 3.0
"""The height of a task and the width of a method, in inches."""


def draw_seed_bars(found: TaskRuns, save: Path | str) -> Path:
    """Draw a panel for each method, in it a bar for each task, and return the picture's path."""
    titles = [plain(title) for title in found.titles().values()]
    rows = np.arange(len(titles))
    counts = [[len(found.runs.get((number, task), ())) for task in found.tasks] for number in range(len(found.methods))]
    most = max(map(max, counts))
    methods = [wrapped(name, PANEL) for name in found.methods]
    height = 1.4 + ROW * len(titles) + room_for(methods)
    with panels(1, len(counts), PANEL, height, "Seeds of each method by task") as (figure, places):
        for number, (axes, own) in enumerate(zip(places, counts, strict=True)):
            axes.barh(rows, own, 0.7, color=COLORS[number % len(COLORS)])
            for row, count in zip(rows, own, strict=True):
                axes.annotate(
                    str(count), (count, row), (4, 0), textcoords="offset points", va="center", color=INK, size=9
                )
            axes.set(
                title=methods[number],
                xlim=(0, 1.15 * most),
                ylim=(len(titles) - 0.5, -0.5),
                xlabel="seeds",
            )
            axes.set_yticks(rows, titles if number == 0 else [""] * len(titles))
            axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
            axes.grid(visible=False, axis="y")
        return save_figure(figure, save)
