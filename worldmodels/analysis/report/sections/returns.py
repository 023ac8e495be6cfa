"""Makes the sections of returns: by task, over all tasks, and as curves."""

from __future__ import annotations

from collections.abc import Iterator

from worldmodels.analysis.plots.panels import DEFAULT
from worldmodels.analysis.plots.statistic_panels import aggregate_panels
from worldmodels.analysis.plots.task_panels import Baselines, task_panels
from worldmodels.analysis.report.charts import Measured, curve_charts, interval_cell, shared_range, variant
from worldmodels.analysis.report.contents import ReportRequest, noted
from worldmodels.analysis.report.html import Child, Markup, counted, element, scrolling_table
from worldmodels.analysis.report.results import Results, scale_of
from worldmodels.analysis.report.sections.statistics import improvement_table, profiles, statistics_table
from worldmodels.analysis.runs.reference_scores import ReferenceScores, Scale
from worldmodels.analysis.statistics.intervals import estimate

NONE = Baselines((), ReferenceScores("", {}))
STATISTICS = (
    "Interquartile mean: of the middle half of all runs of all tasks. Small beside it the 95 % stratified bootstrap "
    "interval: runs are drawn anew within their task (Agarwal et al., 2021). Of few runs they are too narrow."
)
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
    return scrolling_table(["Variant", *(curves.titles[task] for task in curves.tasks)], rows)


def _scale_note(results: Results, scale: Scale | None) -> Markup | None:
    if scale is not None:
        return element("p", f"Returns are {scale.words}.", class_="note")
    if len(results.curves.tasks) > 1:
        return element(
            "p", "Returns of different tasks are on no common scale; --normalize gives one.", class_="warning"
        )
    return None
