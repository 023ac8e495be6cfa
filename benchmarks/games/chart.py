"""Draws results/env_speed.png from results/env_speed.json; `env_speed.py` does it too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from matplotlib.ticker import EngFormatter, NullLocator

from worldmodels.analysis.plots.legend import COLORS, INK, QUIET, panels, save_figure
from worldmodels.envs.games.table import GAME_INFO

RESULTS = Path(__file__).parents[1] / "results"
OURS, PEER = COLORS[0], "#c9ced6"
BAR = 0.38  # of the height of a row
GAP = 0.55  # rows between two games


def draw(rows: list[dict[str, Any]], save: Path) -> Path:
    """Two bars for each game and mode, on a logarithmic scale, with the ratio beside them."""
    places = _places(rows)
    with panels(1, 1, 8.5, 1.3 + 0.3 * (places[-1] + 1)) as (figure, (axes,)):
        lowest = min(row["procgen"] or row["steps_per_second"] for row in rows) / 2
        for row, place in zip(rows, places, strict=True):
            _draw_row(axes, row, place, lowest)
        axes.set_yticks(places, [row["mode"] for row in rows])
        axes.set_ylim(places[-1] + 0.8, -0.8)
        axes.set_xscale("log")
        axes.set_xlim(lowest, max(row["steps_per_second"] for row in rows) * 3.5)
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("steps per second, one thread, 64 environments, frames and resets included")
        axes.grid(axis="y", visible=False)
        axes.spines["left"].set_visible(False)
        _name_games(axes, rows, places)
        axes.set_title("Speed of the native games", pad=24, x=-0.02)
        handles = [axes.barh(0, 0, color=color) for color in (OURS, PEER)]
        axes.legend(handles, ["worldmodels", "Procgen"], loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
        return save_figure(figure, save)


def _places(rows: list[dict[str, Any]]) -> list[float]:
    """Of each row, from the top; the modes of a game stand together."""
    places, place = [], 0.0
    for index, row in enumerate(rows):
        if index:
            place += 1 if row["game"] == rows[index - 1]["game"] else 1 + GAP
        places.append(place)
    return places


def _draw_row(axes: Any, row: dict[str, Any], place: float, lowest: float) -> None:
    own, peer = row["steps_per_second"], row["procgen"]
    offset = BAR / 2 if peer else 0
    axes.barh(place - offset, own - lowest, BAR, left=lowest, color=OURS)
    ratio = f", {row['ratio']:.3g} times" if peer else ""
    axes.text(own * 1.05, place - offset, _short(own) + ratio, va="center", fontsize=8, color=INK)
    if peer:
        axes.barh(place + offset, peer - lowest, BAR, left=lowest, color=PEER)
        axes.text(peer * 1.05, place + offset, _short(peer), va="center", fontsize=8, color=QUIET)


def _short(speed: float) -> str:
    return EngFormatter(places=1 if speed >= 1e6 else 0, sep="")(speed)


def _name_games(axes: Any, rows: list[dict[str, Any]], places: list[float]) -> None:
    """The game's title left of its modes, in the height of the first one."""
    for index, (row, place) in enumerate(zip(rows, places, strict=True)):
        if index == 0 or row["game"] != rows[index - 1]["game"]:
            axes.annotate(
                GAME_INFO[row["game"]].title,
                (0, place),
                (-78, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                ha="right",
                fontweight="bold",
            )


if __name__ == "__main__":
    print(draw(json.loads((RESULTS / "env_speed.json").read_text())["rows"], RESULTS / "env_speed.png"))
