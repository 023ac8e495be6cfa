"""The look of all figures: colours, line styles, names and the legend. No pyplot: nothing global changes."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import Any, TypeAlias

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.rcsetup import cycler
from matplotlib.ticker import EngFormatter

from worldmodels.analysis.plots.panels import CurvePanel, Line
from worldmodels.core.errors import UserError
from worldmodels.core.files.writing import make_folder, write_atomic

Panels: TypeAlias = list[Axes]

COLORS = ("#2f6db5", "#e2703a", "#3a9a6d", "#8a5bb0", "#c9a227", "#c04a6b", "#4aa3b8", "#7a7f87")
"""The colours of lines, in order; people with colour blindness can distinguish them."""
QUIET = "#8b929c"
"""The colour of baselines and other things to compare with."""
INK = "#23272e"

_STYLE: Any = {  # Any: Matplotlib's stubs name every key, and the names differ between its versions
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#c3c8cf",
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=COLORS),
    "grid.color": "#e8ebef",
    "xtick.color": "#5a616b",
    "ytick.color": "#5a616b",
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "lines.linewidth": 1.9,
    "lines.solid_capstyle": "round",
    "legend.edgecolor": "none",
    "legend.framealpha": 0.85,
    "legend.fontsize": 9,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.1,
    "savefig.dpi": 150,
}


@contextmanager
def empty_figure(width: float, height: float) -> Iterator[Figure]:
    """Yield a figure without axes, of so many inches, for panels of different sizes."""
    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


@contextmanager
def panels(rows: int, columns: int, width: float, height: float, title: str = "") -> Iterator[tuple[Figure, Panels]]:
    """Yield a figure of `rows` times `columns` axes; `width` and `height` of one of them, in inches."""
    with empty_figure(width * columns, height * rows) as figure:
        if title:
            figure.suptitle(title, fontsize=13, fontweight="bold", x=0.01, ha="left")
        yield figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def label_steps(axes: Axes, counter: str = "environment steps") -> None:
    """Show thousands as k and millions as M under the one x-axis of learning curves."""
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_xlabel(counter)


def save_figure(figure: Figure, path: Path | str) -> Path:
    """Write a picture in the format of the suffix (png, svg or pdf) beside the old one, then rename it."""
    path = Path(path)
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("png", "svg", "pdf"):
        raise UserError(f"A plot can be saved as .png, .svg or .pdf; received '{path}'.")
    buffer = io.BytesIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(buffer, format=kind)
    make_folder(path.parent)
    write_atomic(path, buffer.getvalue())
    return path


STYLES: tuple[Any, ...] = ("-", (0, (4, 1.2)), (0, (1, 1.2)))
"""The lines of the groups that have the same colour because there are more groups than colours."""
LEVELS: tuple[Any, ...] = ("--", (0, (1, 1.5)), "-.")
"""The lines of baselines."""
LONGEST = 90
"""Letters of a name in a legend; of a longer one the middle is left out."""
LETTER, TITLE_LETTER = 0.075, 0.115
"""The width of a letter in a legend and in a title, in inches."""
TITLE_LINE = 0.2
"""The height of a line of a title, in inches."""


def color_of(line: Line) -> str:
    """Return the colour of a line's group."""
    return COLORS[line.group % len(COLORS)]


def style_of(line: Line) -> Any:
    """Return Matplotlib's dashes of a line."""
    return "--" if line.beside else STYLES[line.group // len(COLORS) % len(STYLES)]


def add_legend(figure: Figure, axes: Axes, drawn: Sequence[CurvePanel], unit: str) -> None:
    """Put the legend into the one panel where it is small, else below the panels, which keep their size.

    Args:
        unit: the noun for the runs that are counted.
    """
    handles = _handles(drawn, unit)
    if len(handles) == 1 and drawn[0].lines[0].runs == 1:
        return
    longest = max(map(len, handles))
    if len(drawn) == 1 and len(handles) <= 5 and longest <= 45:
        axes.legend(list(handles.values()), list(handles))
        return
    width, height = figure.get_size_inches()
    columns = max(1, min(len(handles), int(width / (0.6 + LETTER * longest))))
    figure.legend(list(handles.values()), list(handles), loc="outside lower left", ncols=columns)
    figure.set_size_inches(width, height + 0.1 + 0.2 * -(-len(handles) // columns))


def _handles(drawn: Sequence[CurvePanel], unit: str) -> dict[str, Line2D]:
    """Return an entry of the legend for each line and each level, by its label, with the runs where one has several."""
    lines = sorted((line for panel in drawn for line in panel.lines), key=lambda line: line.group)
    runs: dict[str, set[int]] = {}
    for line in lines:
        runs.setdefault(line.name, set()).add(line.runs)
    counted = max(map(max, runs.values())) > 1
    handles = {}
    for line in lines:
        label = plain(line.name) + (f" ({_count(runs[line.name], unit)})" if counted else "")
        handles[label] = Line2D([], [], color=color_of(line), linestyle=style_of(line))
    levels = dict.fromkeys((level.name, index) for panel in drawn for index, level in enumerate(panel.levels))
    for name, index in levels:
        handles[plain(name)] = Line2D([], [], color=QUIET, linestyle=LEVELS[index % len(LEVELS)], linewidth=1.4)
    return handles


def _count(numbers: set[int], unit: str) -> str:
    """Return `1 seed`, `3 seeds` or `3 to 5 seeds`."""
    low, high = min(numbers), max(numbers)
    return f"{low} to {high} {unit}s" if low < high else f"{high} {unit}{'s' * (high > 1)}"


def wrapped(name: str, width: float) -> str:
    """Return a name as a title above a panel, of so many inches, in as many lines as it takes."""
    return fill(plain(name), int(width / TITLE_LETTER))


def room_for(titles: Sequence[str]) -> float:
    """Return the inches by which panels with titles are higher than those with titles of one line."""
    return TITLE_LINE * max(title.count("\n") for title in titles)


def plain(name: str) -> str:
    """Return a name on one line and of a length that fits, in which no sign means anything to Matplotlib."""
    name = " ".join(name.split()).encode(errors="replace").decode()
    if len(name) > LONGEST:
        name = f"{name[: LONGEST // 2]}…{name[-(LONGEST // 2 - 1) :]}"
    return name.replace("$", r"\$")
