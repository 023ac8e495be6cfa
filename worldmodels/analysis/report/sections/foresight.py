"""Makes the section on predictions of world models: figures of the last evaluation of each run, beside baselines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from worldmodels.analysis.plots.panels import DEFAULT
from worldmodels.analysis.plots.task_panels import Baselines, task_curves, task_panels
from worldmodels.analysis.report.charts import Measured, curve_charts, interval_cell, shared_range, variant
from worldmodels.analysis.report.contents import EVALUATION, Contents, noted
from worldmodels.analysis.report.html import Markup, element, joined, rounded, scrolling_table
from worldmodels.analysis.runs.reference_scores import ReferenceScores, Task
from worldmodels.analysis.statistics.bootstrap import estimate


class Figure(NamedTuple):
    """A figure of a world model, and the one that it is compared with."""

    name: str
    """The metric without `eval/`; where it ends with `_at_`, the one of the longest horizon that was measured."""
    title: str
    beside: str = ""
    """The metric of the same horizon that tells what is trivial, or true."""
    words: str = ""
    """The name of the metric beside."""


FIGURES = (
    Figure("image_error_at_", "Image error", "copy_image_error_at_", "copying"),
    Figure("moving_image_error_at_", "Image error where it moves", "copy_moving_image_error_at_", "copying"),
    Figure("vector_error_at_", "Vector error", "copy_vector_error_at_", "copying"),
    Figure("reward_average_precision", "Rewards foreseen", "reward_base_rate", "by chance"),
    Figure("end_average_precision", "Ends foreseen", "end_base_rate", "by chance"),
    Figure(
        "unrewarded_end_average_precision", "Ends without a reward foreseen", "unrewarded_end_base_rate", "by chance"
    ),
    Figure("reward_sum_accuracy_at_", "Sums of rewards right", "constant_reward_sum_accuracy_at_", "a constant"),
    Figure("told_apart_at_", "Told apart from real frames", "told_apart_coarse_at_", "coarsely"),
    Figure("small_structures_at_", "Small structures over real ones"),
    Figure("best_sample_error_at_", "Best sample over copying", "sample_mean_error_at_", "mean of samples"),
    Figure("reading_error_at_", "Error of places read, cells", "real_reading_error_at_", "of real frames"),
    Figure("things_seen_at_", "Things seen", "real_things_seen_at_", "in real frames"),
    Figure("known_at_", "State known", "known_if_kept_at_", "kept"),
    Figure("actions_ranked", "Actions ranked"),
    Figure("imagined_return", "Return imagined", "real_return", "really"),
)
LEVELS = {"": "training levels", "test_": "test levels"}
"""The beginnings of the names of metrics, and the levels on which these were measured."""
MOST_CHARTS = 6
EXPLANATION = (
    "The last evaluation of each run, a mean over runs with Student's 95 % interval, and small beside it what is "
    "trivial or true. Errors are mean squared, the lower the better, so many steps ahead without observations; "
    "of rewards and ends the average precision of foreseeing them a few steps ahead, 1 at best. Told apart: from 0.5, "
    "never, to 1, always, by a small classifier. Small structures: 1 is right, less is blurred. Places and things are "
    "read from imagined frames by a network that saw real ones alone. These come from worldmodels eval --mode model."
)


def foresight(contents: Contents) -> Markup | None:
    """Return a table with a row for each variant, task and kind of levels, and curves of some; None without figures."""
    recorded = {name for own in contents.metrics.values() for name in own}
    if not (
        columns := [(figure, horizon) for figure in FIGURES if (horizon := _horizon(figure, recorded)) is not None]
    ):
        return None
    rows = list(_rows(contents, recorded, columns))
    cells = [[_measured(contents, runs, levels, *column) for column in columns] for _, _, runs, levels in rows]
    ranges = [shared_range([row[index][0] for row in cells]) for index in range(len(columns))]
    table = scrolling_table(
        ["World model", *(f"{figure.title}, {ahead} ahead" if ahead else figure.title for figure, ahead in columns)],
        [
            [
                _heading(method, words),
                *(interval_cell(n, r, method, note) for (n, note), r in zip(own, ranges, strict=True)),
            ]
            for (method, words, _, _), own in zip(rows, cells, strict=True)
        ],
    )
    return joined(element("p", EXPLANATION, class_="note"), table, _over_training(contents, columns))


def _rows(
    contents: Contents, recorded: set[str], columns: Sequence[tuple[Figure, str]]
) -> Iterator[tuple[int, list[str], list[Path], str]]:
    """Yield the variant, what else the row is called, its runs and the beginning of its metrics."""
    titles, several_tasks = contents.found.titles(), len(contents.found.tasks) > 1
    used = [levels for levels in LEVELS if any(_name(levels, *column) in recorded for column in columns)]
    for (method, task), runs in sorted(contents.found.runs.items(), key=lambda cell: _order(contents, *cell[0])):
        for levels in used:
            if any(_name(levels, *column) in contents.metrics[run] for column in columns for run in runs):
                told = [titles[task]] * several_tasks + [LEVELS[levels]] * (len(used) > 1)
                yield method, [contents.found.methods[method], *told], runs, levels


def _order(contents: Contents, method: int, task: Task) -> tuple[int, int]:
    return contents.found.tasks.index(task), method


def _heading(method: int, words: Sequence[str]) -> Markup:
    return joined(variant(method, words[0]), element("small", " · ".join(["", *words[1:]])) if words[1:] else None)


def _horizon(figure: Figure, recorded: set[str]) -> str | None:
    """Return the longest horizon of a figure, "" where it has none; None where it was not recorded."""
    if not figure.name.endswith("_at_"):
        return "" if any(_name(levels, figure, "") in recorded for levels in LEVELS) else None
    pattern = re.compile(rf"{EVALUATION}(?:test_)?{figure.name}(\d+)")
    horizons = [int(match[1]) for name in recorded if (match := pattern.fullmatch(name))]
    return str(max(horizons)) if horizons else None


def _name(levels: str, figure: Figure, horizon: str) -> str:
    return f"{EVALUATION}{levels}{figure.name}{horizon}"


def _measured(
    contents: Contents, runs: Sequence[Path], levels: str, figure: Figure, horizon: str
) -> tuple[Measured | None, str]:
    """Return a figure of some runs, and a word on the one beside it."""
    values, beside = (
        [float(series.values[-1]) for run in runs if (series := contents.metrics[run].get(name)) is not None]
        for name in (_name(levels, figure, horizon), f"{EVALUATION}{levels}{figure.beside}{horizon}")
    )
    found, other = estimate(values), estimate(beside)
    note = f"{figure.words} {rounded(other.mean)}" if beside and figure.beside else ""
    return (Measured(found.mean, found.low, found.high) if values else None), note


def _over_training(contents: Contents, columns: Sequence[tuple[Figure, str]]) -> Markup | None:
    """Return the curves of the figures on training levels, as many as fit; None without a second point."""
    panels = []
    for figure, ahead in columns[: MOST_CHARTS // len(contents.found.tasks)]:
        name = _name("", figure, ahead)
        if any(name in own and len(own[name].steps) > 1 for own in contents.metrics.values()):
            with noted():
                curves = task_curves(contents.found, name, DEFAULT, contents.metrics)
                drawn = task_panels(curves, DEFAULT, None, Baselines((), ReferenceScores("", {})))
            title = f"{figure.title}, {ahead} steps ahead" if ahead else figure.title
            alone = len(contents.found.tasks) == 1
            panels += [panel._replace(title=title if alone else f"{panel.title}: {title}") for panel in drawn]
    return joined(*curve_charts(panels, contents.found.methods, "environment steps")) if panels else None
