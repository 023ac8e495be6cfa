"""Values of groups of runs made into panels of lines: everything that a picture of learning curves shows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from worldmodels.analysis.aggregate import moving_average
from worldmodels.analysis.curves import GroupCurve, group_curve
from worldmodels.analysis.load import Series, load_metrics, unknown_value
from worldmodels.analysis.run_groups import RunGroup
from worldmodels.core.errors import UserError

PERFORMANCE = "performance"
"""The return: that of the evaluation in a group that has one, else that of the episodes of training."""
RETURNS = ("eval/return", "episode/return")
BESIDE = {"eval/imagined_return": "eval/real_return", "eval/test_imagined_return": "eval/test_real_return"}
"""Values that say little without another one, which is drawn beside them, dashed."""

RunMetrics = Mapping[Path, Mapping[str, Series]]
"""The series of each run by name."""


class Line(NamedTuple):
    """One value of one group."""

    group: int
    """The group's number, from 0; its colour in every panel."""
    name: str
    value: str
    """The recorded name of the value."""
    curve: GroupCurve
    runs: int
    """Runs that have the value."""
    raw: Series | None
    """The values of a single run before they were smoothed; None where they were not, or come from several runs."""
    beside: bool = False
    """Drawn dashed, to compare with."""


class CurvePanel(NamedTuple):
    """One value of all groups."""

    value: str
    lines: list[Line]
    window: int
    """Records that each point averages."""


def curve_panels(
    groups: Sequence[RunGroup],
    values: Sequence[str],
    x: str = "step",
    smooth: int | None = None,
    estimator: str = "mean",
) -> list[CurvePanel]:
    """Return a panel for each of `values`.

    Args:
        x: a counter, or `time`; see `load_metrics`.
        smooth: records that each point averages, itself and those before; by default an eighth of the longest run's.
        estimator: a key of `ESTIMATORS`.

    A run without a value is left out of its panel with a warning.

    Raises:
        RunError, FileError: a run's metrics are missing or damaged.
        UserError: no run has a value, or one has not the counter.
    """
    names = {name for value in values for name in (*_sources(value), BESIDE.get(value, value))}
    metrics = {run: load_metrics(run, x, names) for group in groups for run in group.runs}
    return [_panel(groups, value, metrics, x, smooth, estimator) for value in values]


def default_window(curves: Sequence[Series]) -> int:
    """Return the records that a point averages by default: an eighth of those of the longest curve, 1 at least."""
    return max(1, max(len(series.steps) for series in curves) // 8)


def _sources(value: str) -> Sequence[str]:
    """Return the recorded values that a value may stand for, the first that a group has."""
    return RETURNS if value == PERFORMANCE else (value,)


def _panel(
    groups: Sequence[RunGroup], value: str, metrics: RunMetrics, x: str, smooth: int | None, estimator: str
) -> CurvePanel:
    chosen = [_source(group, value, metrics) for group in groups]
    found = [_found(group, name, metrics) for group, name in zip(groups, chosen, strict=True)]
    every = [series for own in found for series in own]
    if not every:
        raise _missing(groups[0].runs[0], value, x)
    _warn_of_missing(value, groups, chosen, metrics)
    window = min(smooth, max(len(series.steps) for series in every)) if smooth else default_window(every)
    lines = []
    for index, (group, name, own) in enumerate(zip(groups, chosen, found, strict=True)):
        label = group.name if len(set(chosen)) == 1 else f"{group.name}, {name}"
        if own:
            lines.append(_line(index, label, name, own, window, estimator))
        beside = _found(group, BESIDE[name], metrics) if name in BESIDE else []
        if beside:
            line = _line(index, f"{label}, {BESIDE[name]}", BESIDE[name], beside, window, estimator)
            lines.append(line._replace(raw=None, beside=True))
    title = f"{value} ({chosen[0]})" if value == PERFORMANCE and len(set(chosen)) == 1 else value
    return CurvePanel(title, lines, window)


def _source(group: RunGroup, value: str, metrics: RunMetrics) -> str:
    """Return the recorded value that `value` is in a group, one for all its runs."""
    sources = _sources(value)
    return next((name for name in sources if _found(group, name, metrics)), sources[-1])


def _found(group: RunGroup, name: str, metrics: RunMetrics) -> list[Series]:
    return [metrics[run][name] for run in group.runs if name in metrics[run]]


def _line(index: int, name: str, value: str, runs: Sequence[Series], window: int, estimator: str) -> Line:
    curves = [(series.steps.astype(float), moving_average(series.values, window)) for series in runs]
    raw = runs[0] if len(runs) == 1 and window > 1 else None
    return Line(index, name, value, group_curve(curves, estimator), len(runs), raw)


def _warn_of_missing(value: str, groups: Sequence[RunGroup], chosen: Sequence[str], metrics: RunMetrics) -> None:
    runs = [run for group, name in zip(groups, chosen, strict=True) for run in group.runs if name not in metrics[run]]
    if runs:
        more = f" and {len(runs) - 3} more" if len(runs) > 3 else ""
        listed = ", ".join(f"'{run}'" for run in runs[:3]) + more
        warnings.warn(f"'{value}' was not recorded in {listed}: left out of its panel.", stacklevel=2)


def _missing(run: Path, value: str, x: str) -> UserError:
    if value == PERFORMANCE:
        return UserError(f"No run has a '{PERFORMANCE}': neither {' nor '.join(RETURNS)} was recorded.")
    return unknown_value(run, value, load_metrics(run, x))
