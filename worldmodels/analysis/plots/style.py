"""Gives all figures one look. No pyplot: a figure is an object, and nothing global changes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler
from matplotlib.ticker import EngFormatter

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
