"""Learning curves: values of runs, a line for each group of runs that differ in their seed alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from worldmodels.analysis.plots.curve_panels import curve_panels
from worldmodels.analysis.plots.lines import DEFAULT, CurveOptions
from worldmodels.analysis.plots.panel_drawing import draw_panels
from worldmodels.analysis.runs.grouping import ALL_RUNS, Grouping, find_groups
from worldmodels.analysis.statistics.curve_table import save_table


def plot_runs(
    paths: Sequence[Path | str],
    values: str | Sequence[str],
    options: CurveOptions = DEFAULT,
    grouping: Grouping = ALL_RUNS,
    save: Path | str = "curves.png",
    export: Path | str | None = None,
) -> Path:
    """Draw values of runs, a panel for each value and in it a line for each group of runs; return the picture's path.

    Args:
        paths: run folders, folders of runs, or how their names begin; see `find_runs`.
        values: names of recorded values, or `performance`: the evaluation's return where there is one, else that of
            the episodes of training.
        export: a CSV file for what is drawn.

    Raises:
        RunError: there are no such runs.
        UserError: no run has a value, or what is asked for is out of range.
    """
    names = [values] if isinstance(values, str) else list(dict.fromkeys(values))
    drawn = curve_panels(find_groups(paths, grouping), names, options)
    saved = draw_panels(drawn, save, options)
    if export is not None:
        save_table(drawn, export)
    return saved
