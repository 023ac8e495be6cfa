"""Makes a panel of each recorded value, with a line for each group of runs."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from worldmodels.analysis.plots.panels import (
    DEFAULT,
    CurveOptions,
    CurvePanel,
    Level,
    check_options,
    curve_line,
    smoothing_window,
    without_empty,
)
from worldmodels.analysis.runs.groups import RunGroup
from worldmodels.analysis.runs.records import Series, load_metrics, unknown_value
from worldmodels.analysis.runs.reference_scores import read_task
from worldmodels.core.errors import RunError, UserError

PERFORMANCE = "performance"
"""The return: that of the evaluation in a group that has one, else that of the episodes of training."""
RETURNS = ("eval/return", "episode/return")
BESIDE = {
    "eval/return": "eval/test_return",
    "eval/imagined_return": "eval/real_return",
    "eval/test_imagined_return": "eval/test_real_return",
}
"""Values that say little without another one, which is drawn beside them, dashed, where it was recorded."""

PLAYERS = {"random play": "random_return", "blind play": "blind_return"}
"""Players without learning, and the ends of the names of their returns, which evaluations during training record."""

RunMetrics = Mapping[Path, Mapping[str, Series]]
"""The series of each run by name."""


def curve_panels(
    groups: Sequence[RunGroup], values: Sequence[str], options: CurveOptions = DEFAULT
) -> list[CurvePanel]:
    """Return a panel for each of `values`.

    A run without a value is left out of its panel with a warning.

    Raises:
        RunError, FileError: a run's metrics are missing or damaged.
        UserError: an option is out of range, no run has a value, or one has not the counter.
    """
    check_options(options)
    shown = [name for value in values for name in sources(value)]
    names = {*shown, *(BESIDE[name] for name in shown if name in BESIDE)}
    names.update(name for value in shown for name in players_of(value).values())
    metrics = {run: load_metrics(run, options.x, names) for group in groups for run in group.runs}
    return without_empty([_panel(groups, value, metrics, options) for value in values], options)


def sources(value: str) -> Sequence[str]:
    """Return the recorded values that a value may stand for, the first that a group has."""
    return RETURNS if value == PERFORMANCE else (value,)


def players_of(value: str) -> dict[str, str]:
    """Return the recorded names of the returns of random and of blind play on the levels of a return, if it is one."""
    if not re.fullmatch(r"eval/(test_)?return", value):
        return {}
    return {player: value.removesuffix("return") + name for player, name in PLAYERS.items()}


def played_levels(value: str, runs: Iterable[Mapping[str, Series]]) -> dict[str, float]:
    """Return the returns of random and of blind play beside a return: means over what the runs of a task recorded."""
    metrics = list(runs)
    found = {
        player: [float(own[name].values.mean()) for own in metrics if name in own]
        for player, name in players_of(value).items()
    }
    return {player: sum(means) / len(means) for player, means in found.items() if means}


def _panel(groups: Sequence[RunGroup], value: str, metrics: RunMetrics, options: CurveOptions) -> CurvePanel:
    chosen = [_source(group, value, metrics) for group in groups]
    found = [_found(group, name, metrics) for group, name in zip(groups, chosen, strict=True)]
    every = [series for own in found for series in own]
    if not every:
        raise missing_value(groups[0].runs[0], value, options.x)
    _warn_of_missing(value, groups, chosen, metrics)
    window = smoothing_window(every, options.smooth)
    lines = []
    for index, (group, name, own) in enumerate(zip(groups, chosen, found, strict=True)):
        label = group.name if len(set(chosen)) == 1 else f"{group.name}, {name}"
        if own:
            lines.append(curve_line(index, label, name, own, window, options))
        beside = _found(group, BESIDE[name], metrics) if name in BESIDE else []
        if beside:
            line = curve_line(index, f"{label}, {BESIDE[name]}", BESIDE[name], beside, window, options)
            lines.append(line._replace(raw=None, beside=True))
    title = f"{value} ({chosen[0]})" if value == PERFORMANCE and len(set(chosen)) == 1 else value
    levels: Iterable[Level] = ()
    if len(set(chosen)) == 1 and _is_one_task(run for group in groups for run in group.runs):
        played = played_levels(chosen[0], (metrics[run] for group in groups for run in group.runs))
        levels = itertools.starmap(Level, played.items())
    return CurvePanel(title, lines, window, list(levels))


def _is_one_task(runs: Iterable[Path]) -> bool:
    """Return whether all runs are known to be of one task."""
    try:
        return len({read_task(run) for run in runs}) == 1
    except RunError:
        return False


def _source(group: RunGroup, value: str, metrics: RunMetrics) -> str:
    """Return the recorded value that `value` is in a group, one for all its runs."""
    names = sources(value)
    return next((name for name in names if _found(group, name, metrics)), names[-1])


def _found(group: RunGroup, name: str, metrics: RunMetrics) -> list[Series]:
    return [metrics[run][name] for run in group.runs if name in metrics[run]]


def _warn_of_missing(value: str, groups: Sequence[RunGroup], chosen: Sequence[str], metrics: RunMetrics) -> None:
    pairs = zip(groups, chosen, strict=True)
    warn_of_missing(value, [run for group, name in pairs for run in group.runs if name not in metrics[run]])


def warn_of_missing(value: str, runs: Sequence[Path]) -> None:
    """Warn of the runs that have not recorded a value, if there are some."""
    if runs:
        more = f" and {len(runs) - 3} more" if len(runs) > 3 else ""
        listed = ", ".join(f"'{run}'" for run in runs[:3]) + more
        warnings.warn(f"'{value}' was not recorded in {listed}: left out of its panel.", stacklevel=2)


def missing_value(run: Path, value: str, x: str) -> UserError:
    """Return the error that no run has a value, with the nearest of those that `run` has."""
    if value == PERFORMANCE:
        return UserError(f"No run has a '{PERFORMANCE}': neither {' nor '.join(RETURNS)} was recorded.")
    return unknown_value(run, value, load_metrics(run, x))
