"""Draws the figures of experiments: results/learning.png.

Each experiment is a row: on the left the interquartile means over all games, on the right each game by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from worldmodels.analysis.plots.legend import COLORS, INK, QUIET, empty_figure, save_figure
from worldmodels.envs.games.table import GAME_INFO

COLUMNS = 3
"""Panels of games side by side."""
LANES = {"train": (-0.19, 1.0), "test": (0.19, 0.42)}
"""Where a learner's levels stand in its row, downwards, and how opaque they are."""
TITLES = {"train": "training levels", "test": "test levels"}


def draw(experiments: Sequence[dict[str, Any]], save: Path) -> Path:
    """Draw the figures of experiments, and return the path."""
    rows = [_rows(figures) for figures in experiments]
    heights = [max(2.1 * count, 2.6) + 1.2 for count in rows]
    with empty_figure(13.0, sum(heights)) as figure:
        parts = figure.subfigures(len(experiments), 1, height_ratios=heights, squeeze=False)[:, 0]
        for part, figures in zip(parts, experiments, strict=True):
            _draw_experiment(part, figures)
        return save_figure(figure, save)


def _rows(figures: dict[str, Any]) -> int:
    return math.ceil(len(_games(figures)) / COLUMNS)


def _games(figures: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(row["game"] for row in figures["games"]))


def _draw_experiment(part: SubFigure, figures: dict[str, Any]) -> None:
    part.suptitle(f"{figures['steps']:,} real steps", fontsize=14, fontweight="bold", x=0.01, ha="left")
    machine = f"easy mode · {', '.join(figures['processors'])}"
    part.text(0.99, 0.985, machine, fontsize=9, color=QUIET, ha="right", va="top")
    games = _games(figures)
    columns = min(COLUMNS, len(games))
    grid = part.add_gridspec(_rows(figures), columns + 1, width_ratios=[1.5, *[1.0] * columns])
    _draw_means(part.add_subplot(grid[:, 0]), figures)
    for i, game in enumerate(games):
        axes = part.add_subplot(grid[i // columns, 1 + i % columns])
        _draw_game(axes, game, figures, labelled=i % columns == 0)
        if i + columns >= len(games):
            axes.set_xlabel("return")


def _draw_means(axes: Axes, figures: dict[str, Any]) -> None:
    """Draw the interval of each learner's interquartile mean as a bar, and the mean as a line across it."""
    axes.set_title("All games")
    axes.set_xlabel("normalised return, interquartile mean and 95 % interval")
    _name_rows(axes, [f"{figures['titles'][row['learner']]}\n{_runs(row)}" for row in figures["learners"]])
    for row in figures["learners"]:
        y, color = _place(figures, row["learner"])
        for levels, found in row["interquartile_mean"].items():
            offset, alpha = LANES[levels]
            if found["low"] is not None:
                width = found["high"] - found["low"]
                axes.barh(y + offset, width, 0.3, found["low"], color=color, alpha=alpha, linewidth=0)
            axes.plot([found["value"]] * 2, [y + offset - 0.15, y + offset + 0.15], color=INK, solid_capstyle="butt")
            # Beside the bar, where it is not drawn over.
            end = found["value"] if found["high"] is None else found["high"]
            label = f"{round(found['value'], 2) + 0.0:.2f}"  # no "-0.00"
            axes.annotate(label, (end, y + offset), (5, 0), textcoords="offset points", va="center", fontsize=9)
    random = figures["learners"][0]["random_interquartile_mean"].get("train")
    if random is not None:
        axes.axvline(random, color=QUIET, linestyle="--", linewidth=1.2)
    axes.margins(x=0.12)
    handles: list[Artist] = [
        Patch(color=QUIET, alpha=alpha, label=TITLES[levels]) for levels, (_, alpha) in LANES.items()
    ]
    handles.append(Line2D([], [], color=QUIET, linestyle="--", linewidth=1.2, label="random policy"))
    below = axes.transAxes + ScaledTranslation(0, -0.5, axes.figure.dpi_scale_trans)  # half an inch
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=below, ncols=3)


def _draw_game(axes: Axes, game: str, figures: dict[str, Any], labelled: bool) -> None:
    """Draw the mean return of each learner with its interval, and each seed as a small line across it."""
    axes.set_title(GAME_INFO[game].title)
    _name_rows(axes, [title if labelled else "" for title in figures["titles"].values()])
    for row in (row for row in figures["games"] if row["game"] == game):
        y, color = _place(figures, row["learner"])
        for levels, found in row["levels"].items():
            (offset, alpha), mean = LANES[levels], found["mean"]
            at = [y + offset] * len(found["returns"])
            axes.plot(found["returns"], at, "|", color=color, alpha=alpha, markersize=9, markeredgewidth=1)
            if mean["low"] is not None:
                axes.plot([mean["low"], mean["high"]], [y + offset] * 2, color=color, alpha=alpha)
            axes.plot(mean["mean"], y + offset, "o", color=color, alpha=alpha, markersize=6, markeredgewidth=0)
        axes.axvline(row["levels"]["train"]["random"], color=QUIET, linestyle="--", linewidth=1.2, zorder=1)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")


def _runs(row: dict[str, Any]) -> str:
    count = row["compared_runs"]
    return f"{count} run" if count == 1 else f"{count} runs"


def _place(figures: dict[str, Any], learner: str) -> tuple[int, str]:
    """Return the row of a learner, and its colour."""
    row = list(figures["titles"]).index(learner)
    return row, COLORS[row]
