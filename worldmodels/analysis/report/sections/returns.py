"""Makes the sections of returns, by task, over all tasks and as curves, and compares variants over all runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from worldmodels.analysis.plots.panels import DEFAULT, CurvePanel, Line
from worldmodels.analysis.plots.statistic_panels import aggregate_panels
from worldmodels.analysis.plots.task_panels import Baselines, task_panels
from worldmodels.analysis.report.charts import Measured, curve_charts, interval_cell, shared_range, variant
from worldmodels.analysis.report.contents import ReportRequest, noted
from worldmodels.analysis.report.html import Child, Markup, counted, element, percent, rounded, scrolling_table
from worldmodels.analysis.report.results import Results, scale_of
from worldmodels.analysis.runs.reference_scores import ReferenceScores, Scale
from worldmodels.analysis.statistics.bootstrap import (
    Scores,
    Statistic,
    bootstrap,
    bootstrap_bands,
    clipped_mean_of_tasks,
    estimate,
    interquartile_mean,
    mean_of_tasks,
    median,
    median_of_tasks,
    probability_of_improvement,
)
from worldmodels.analysis.statistics.group_curve import GroupCurve

RESAMPLES = 2_000
"""Draws for an interval."""
PROFILE_POINTS, PROFILE_RESAMPLES = 51, 500
MOST_PAIRED = 10
"""Variants that are all compared with each other; of more, each is compared with the one that is best."""


def optimality_gap(strata: Sequence[Scores]) -> Scores:
    """Return by how much scores fall short of 1, where those above 1 count as 1; a mean over runs, then tasks."""
    gap: Scores = 1 - clipped_mean_of_tasks(strata)
    return gap


def statistics_table(results: Results, scale: Scale | None) -> Markup:
    """Return a table with the statistics of each variant and their stratified bootstrap intervals."""
    several = len(results.shared_tasks()) > 1
    statistics: dict[str, Statistic] = {
        "Interquartile mean": interquartile_mean,
        "Median": median_of_tasks if several else median,
        "Mean": mean_of_tasks,
    }
    if scale is not None:
        statistics["Optimality gap"] = optimality_gap
    methods = results.methods()
    columns = [
        [Measured(*bootstrap(statistic, results.strata(method, scale), resamples=RESAMPLES)) for method in methods]
        for statistic in statistics.values()
    ]
    ranges = [shared_range(column) for column in columns]
    rows = [
        [
            variant(method, results.curves.methods[method]),
            element("td", sum(map(len, results.strata(method, scale))), class_="number"),
            *(interval_cell(column[row], among, method) for column, among in zip(columns, ranges, strict=True)),
        ]
        for row, method in enumerate(methods)
    ]
    for player in results.players():
        strata = results.strata_of_player(player, scale)
        cells = (_plain_cell(float(one(strata))) for one in statistics.values())
        rows.append([Markup(player.capitalize()), element("td", "–", class_="number"), *cells])
    return scrolling_table(["Variant", "Runs", *statistics], rows)


def profiles(results: Results, scale: Scale | None, label: str) -> list[Markup]:
    """Return charts of the share of runs that score above each threshold: a mean over tasks, with pointwise bands."""
    methods = results.methods()
    strata = {method: results.strata(method, scale) for method in methods}
    every = np.concatenate([scores for own in strata.values() for scores in own])
    spare = 0.02 * (every.max() - every.min()) or 0.5
    thresholds = np.linspace(every.min() - spare, every.max() + spare, PROFILE_POINTS)
    lines = [_profile(method, results.curves.methods[method], strata[method], thresholds) for method in methods]
    return list(curve_charts([CurvePanel("Share of runs above a return", lines, 1)], results.curves.methods, label))


def improvement_table(results: Results, scale: Scale | None) -> Markup:
    """Return the probabilities that a run of one variant is better than one of another on the same task."""
    methods, names = results.methods(), results.curves.methods
    strata = {method: results.strata(method, scale) for method in methods}
    best = max(methods, key=lambda method: float(interquartile_mean(strata[method])))
    against = methods if len(methods) <= MOST_PAIRED else [best]
    rows = [
        [
            variant(method, names[method]),
            *(
                _improvement_cell(strata[method], strata[other]) if method != other else element("td")
                for other in against
            ),
        ]
        for method in methods
    ]
    return scrolling_table(["Better than →", *(variant(other, names[other]) for other in against)], rows)


def _profile(method: int, name: str, strata: Sequence[Scores], thresholds: Scores) -> Line:
    above = [(scores[None, :] > thresholds[:, None]).astype(np.float64) for scores in strata]
    ends = bootstrap_bands(mean_of_tasks, above, resamples=PROFILE_RESAMPLES)
    runs = sum(map(len, strata))
    curve = GroupCurve(thresholds, mean_of_tasks(above), *ends, np.full(len(thresholds), runs))
    return Line(method, name, "", curve, runs, None)


def _improvement_cell(strata: Sequence[Scores], others: Sequence[Scores]) -> Markup:
    """Return a cell that is marked where the interval excludes a half."""
    found = bootstrap(probability_of_improvement, strata, others, resamples=RESAMPLES)
    sure = "more" if found.low > 0.5 else "less" if found.high < 0.5 else ""
    ends = "" if np.isnan(found.low) else f"{percent(found.low)} to {percent(found.high)}"
    return element(
        "td", element("b", percent(found.value)), " ", element("small", ends), class_=f"number {sure}".strip()
    )


NONE = Baselines((), ReferenceScores("", {}))
STATISTICS = (
    "Interquartile mean: of the middle half of all runs of all tasks. Small beside it the 95 % stratified bootstrap "
    "interval: runs are drawn anew within their task (Agarwal et al., 2021). Of few runs they are too narrow."
)
PLAYED = "The runs' evaluations played at random, too, and blind: by the best policy found that sees nothing."
PROFILES = "A curve that lies higher is better; the band is the pointwise 95 % bootstrap interval."
IMPROVEMENT = (
    "How probable it is that a run of the row is better than one of the column on the same task, equal ones counting "
    "half; coloured where the 95 % interval excludes 50 %."
)


def return_parts(results: Results, request: ReportRequest) -> Iterator[Child]:
    """Yield the parts of a section of returns."""
    yield from (element("p", note, class_="warning") for note in results.notes)
    tasks = results.shared_tasks()
    if results.by_task and len(results.curves.tasks) > 1:
        yield element("h3", "By task")
        yield element("p", "Mean over runs, with Student's 95 % interval.", class_="note")
        yield _by_task(results)
    if tasks:
        scale = scale_of(tasks, request.normalize)
        yield element("h3", f"Over {counted(len(tasks), 'task')}" if len(results.curves.tasks) > 1 else "Statistics")
        yield _scale_note(results, scale)
        yield element("p", STATISTICS, class_="note")
        yield element("p", PLAYED, class_="note") if results.players() else None
        yield statistics_table(results, scale)
        if len(results.methods()) > 1:
            yield from (element("h3", "Probability of improvement"), element("p", IMPROVEMENT, class_="note"))
            yield improvement_table(results, scale)
        yield from (element("h3", "Performance profiles"), element("p", PROFILES, class_="note"))
        yield profiles(results, scale, f"return, {scale.words}" if scale else "return")
    elif results.by_task:
        yield element("p", "No task is shared by all variants, so nothing compares over tasks.", class_="warning")
    yield element("h3", "Learning curves")
    yield from _curves(results, request)


def _curves(results: Results, request: ReportRequest) -> Iterator[Child]:
    curves = results.curves
    words = f"Mean over seeds with its 95 % interval; each point averages {counted(curves.window, 'record')}."
    yield element("p", words, class_="note")
    panels = task_panels(curves, DEFAULT, None, NONE)
    whole = range(len(curves.methods))
    tasks = [task for task in curves.tasks if all((method, task) in curves.series for method in whole)]
    if len(curves.tasks) > 1 and tasks:
        scale = scale_of(tasks, request.normalize)
        with noted():
            over = aggregate_panels(curves._replace(tasks=tasks), DEFAULT, scale, NONE, ["iqm"])
        title = f"Interquartile mean over {counted(len(tasks), 'task')}"
        panels = [over[0]._replace(title=f"{title}, {scale.words}" if scale else title), *panels]
    yield list(curve_charts(panels, curves.methods, "environment steps"))


def _by_task(results: Results) -> Markup:
    curves, methods = results.curves, results.methods()
    columns = []
    for task in curves.tasks:
        found = [results.by_task.get((method, task)) for method in methods]
        parts = [None if scores is None else estimate(scores) for scores in found]
        columns.append([part and Measured(part.mean, part.low, part.high) for part in parts])
    ranges = [shared_range(column) for column in columns]
    rows = [
        [variant(method, curves.methods[method])]
        + [interval_cell(column[row], among, method) for column, among in zip(columns, ranges, strict=True)]
        for row, method in enumerate(methods)
    ]
    played = [curves.played.get(task, {}) for task in curves.tasks]
    for player in dict.fromkeys(name for own in played for name in own):
        rows.append([Markup(player.capitalize()), *(_plain_cell(own.get(player)) for own in played)])
    return scrolling_table(["Variant", *(curves.titles[task] for task in curves.tasks)], rows)


def _plain_cell(value: float | None) -> Markup:
    """Return the cell of a number without an interval."""
    return element("td", element("b", "–" if value is None else rounded(value)), class_="number")


def _scale_note(results: Results, scale: Scale | None) -> Markup | None:
    if scale is not None:
        return element("p", f"Returns are {scale.words}.", class_="note")
    if len(results.curves.tasks) > 1:
        return element(
            "p", "Returns of different tasks are on no common scale; --normalize gives one.", class_="warning"
        )
    return None
