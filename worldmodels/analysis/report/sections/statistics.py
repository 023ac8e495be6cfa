"""Makes the section that compares variants over all runs and tasks (Agarwal et al., 2021, arXiv:2108.13264)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worldmodels.analysis.plots.panels import CurvePanel, Line
from worldmodels.analysis.report.charts import Measured, curve_charts, interval_cell, shared_range, variant
from worldmodels.analysis.report.html import Markup, element, percent, scrolling_table
from worldmodels.analysis.report.results import Results
from worldmodels.analysis.runs.reference_scores import Scale
from worldmodels.analysis.statistics.bootstrap import (
    Scores,
    Statistic,
    bootstrap,
    bootstrap_bands,
    clipped_mean_of_tasks,
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
