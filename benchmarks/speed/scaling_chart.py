"""Draws results/scaling.png from the records of `benchmarks/scaling.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, NullFormatter

from speed.scaling_report import Line, Records, lines
from speed.sizes import AXES
from worldmodels.analysis.plots.legend import COLORS, QUIET, panels, save_figure

PART_COLORS = {
    "model update": COLORS[0],
    "policy update": COLORS[1],
    "policy step": COLORS[2],
    "environment step": COLORS[3],
}
STYLES = {"float32": ("-", "o", None), "bfloat16": ("--", "s", "white")}
"""Line, marker, and what fills it; None for the line's own colour."""


def draw(records: Records, save: Path) -> Path:
    """One panel for each axis, and one that says how much of the machine's arithmetic is used."""
    drawn = list(lines(records))
    with panels(2, 3, 4.6, 3.7, "How the time of an update grows with size") as (figure, every):
        for axes, (name, axis) in zip(every, AXES.items(), strict=False):
            axes.set_title(axis.title)
            chosen = [line for line in drawn if line.axis == name]
            if not chosen:
                axes.set_axis_off()
                continue
            for line in chosen:
                draw_line(axes, line)
            axes.set_xlabel(axis.amount)
            axes.set_ylabel("milliseconds of a call")
            logarithmic(axes)
            low, high = axes.get_ylim()
            axes.set_ylim(low, high * (high / low) ** 0.45)  # room for the legend
            axes.legend(loc="upper left")
        draw_shares(every[-1], drawn)
        return save_figure(figure, save)


def draw_line(axes: Any, line: Line) -> None:
    law, style = line.law(), STYLES[line.precision]
    label = f"{line.part}, {line.precision}" + (f": power {law.exponent:.2f}" if law else "")
    color = PART_COLORS[line.part]
    times = [record["parts"][line.part]["wall_ms"] for record in line.records]
    amounts = [record["amount"] for record in line.records]
    axes.plot(amounts, times, style[0], marker=style[1], ms=4.5, mfc=style[2] or color, color=color, label=label)


def draw_shares(axes: Any, drawn: list[Line]) -> None:
    """Operations per processor second, which other work on the machine hardly changes, of everything that has any."""
    speed, labels = "gflop_per_processor_second", set()
    for line in drawn:
        parts = [record["parts"][line.part] for record in line.records]
        if "gflop" not in parts[0]:
            continue
        _, marker, filling = STYLES[line.precision]
        color, label = PART_COLORS[line.part], f"{line.part}, {line.precision}"
        x, y = [part["gflop"] for part in parts], [part[speed] for part in parts]
        axes.plot(x, y, marker, ms=4.5, mfc=filling or color, color=color, label="" if label in labels else label)
        labels.add(label)
    for precision in dict.fromkeys(line.precision for line in drawn):
        speeds = [r["product"][speed] for line in drawn if line.precision == precision for r in line.records]
        top = sorted(speeds)[len(speeds) // 2]
        axes.axhline(top, color=QUIET, ls=STYLES[precision][0], lw=1.2, label=f"product of 2048 x 2048, {precision}")
    axes.set_title("What a core reaches")
    axes.set_xlabel("GFLOP of a call")
    axes.set_ylabel("GFLOP per processor second")
    logarithmic(axes)
    axes.set_ylim(axes.get_ylim()[0] / 4)  # room for the legend
    axes.legend(loc="lower right", fontsize=7.5)


def logarithmic(axes: Any) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for each in (axes.xaxis, axes.yaxis):
        each.set_major_formatter(FuncFormatter(short))
        each.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 3)))


def short(value: float, _: int) -> str:
    return f"{value:g}" if value < 1 else EngFormatter(sep="")(value)
