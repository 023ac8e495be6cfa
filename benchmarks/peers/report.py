"""Writes the results of both sides as text and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from few_steps.cells import gone_line
from provenance import made_line

from peers.tasks import METHODS, SIDES, TASKS, Cell
from worldmodels.analysis.plots.legend import COLORS, QUIET, label_steps, panels, save_figure
from worldmodels.analysis.statistics.bootstrap import Estimate, estimate

Results: TypeAlias = Mapping[Cell, dict[str, Any]]
FEW = 2
"""Runs of which an interval says nothing: those are shown one by one."""
STYLES = {"ours": "-", "peer": (0, (4, 1.5))}


def report(preamble: str, results: Results) -> str:
    """Return the report of what is finished as Markdown."""
    processors = sorted({found["processor"] for found in results.values()})
    gone = gone_line(found["job"] for found in results.values())
    lines = [preamble, f"On {', '.join(processors)}, one core for each run. {gone}".rstrip(), ""]
    return "\n".join([*lines, *_returns(results), "", *_speeds(results), "", made_line(results.values())]) + "\n"


def mean_return(result: dict[str, Any]) -> float:
    """Return the mean over a run's deterministic episodes."""
    return float(np.mean(result["returns"]))


def steps_per_second(result: dict[str, Any]) -> float:
    """Return the rate over the last three quarters of a run: at first a method may only collect, or build graphs.

    Over all of them together, since an update may fall into every second piece.
    """
    points = np.array([[steps, seconds] for steps, _, seconds in result["curve"]])
    steps, seconds = points[-1] - points[len(points) // 4]
    return float(steps / seconds)


def draw_method(results: Results, method: str, save: Path) -> Path:
    """Draw one method's curves of training, a panel for each task: means with 95 % intervals, or with the few seeds."""
    tasks = [task for task in TASKS if _of(results, task, method, "ours")]
    with panels(-(-len(tasks) // 3), min(3, len(tasks)), 4.4, 3.2) as (figure, places):
        for axes, task in zip(places, tasks, strict=False):
            for side, label, color in (("ours", METHODS[method].title, COLORS[0]), ("peer", "peer", QUIET)):
                if runs := _of(results, task, method, side):
                    steps, curves = _curves(runs)
                    axes.plot(steps, curves.mean(0), color=color, linestyle=STYLES[side], label=label)
                    if len(runs) > FEW:
                        bands = [estimate(values) for values in curves.T]
                        lows, highs = [band.low for band in bands], [band.high for band in bands]
                        axes.fill_between(steps, lows, highs, color=color, alpha=0.15)
                    elif len(runs) > 1:
                        axes.plot(steps, curves.T, color=color, linestyle=STYLES[side], linewidth=0.8, alpha=0.4)
            axes.set_title(TASKS[task].title)
            label_steps(axes, "environment steps")
            axes.legend(fontsize=8)
        for axes in places[len(tasks) :]:
            axes.set_visible(False)
        return save_figure(figure, save)


def draw(results: Results, save: Path) -> Path:
    """Draw the curves of training, a panel for each task, ours solid and the peer's dashed."""
    tasks = [task for task in TASKS if any(cell.task == task for cell in results)]
    with panels(-(-len(tasks) // 2), min(2, len(tasks)), 6.0, 3.9) as (figure, places):
        for axes, task in zip(places, tasks, strict=False):
            for color, method in zip(COLORS, METHODS, strict=False):
                for side in SIDES:
                    runs = _of(results, task, method, side)
                    if runs:
                        steps, curves = _curves(runs)
                        label = METHODS[method].title + (" (peer)" if side == "peer" else "")
                        axes.plot(steps, curves.mean(0), color=color, linestyle=STYLES[side], label=label)
            axes.set_title(TASKS[task].title)
            label_steps(axes, "environment steps")
            axes.legend(fontsize=8)
        for axes in places[len(tasks) :]:
            axes.set_visible(False)
        return save_figure(figure, save)


def _returns(results: Results) -> Iterator[str]:
    yield "| task | method | steps | ours (95 %) | Stable-Baselines3 (95 %) | seeds |"
    yield "|---|---|---|---|---|---|"
    for task, method in _rows(results):
        ours, peer = (_of(results, task, method, side) for side in SIDES)
        steps = TASKS[task].steps[METHODS[method].family]
        cells = [_estimate([mean_return(one) for one in runs]) for runs in (ours, peer)]
        seeds = f"{len(ours)}, {len(peer)}"
        yield f"| {TASKS[task].title} | {METHODS[method].title} | {steps:,} | {cells[0]} | {cells[1]} | {seeds} |"


def _speeds(results: Results) -> Iterator[str]:
    """Yield the table of speeds, which compare on the same processor alone."""
    yield "| method | task | processor | ours, steps/s | Stable-Baselines3, steps/s | ratio |"
    yield "|---|---|---|---|---|---|"
    for task, method in _rows(results):
        sides = [_speeds_by_processor(_of(results, task, method, side)) for side in SIDES]
        for processor in sorted(sides[0].keys() & sides[1].keys()):
            ours, peer = (float(np.median(speeds[processor])) for speeds in sides)
            names = f"{METHODS[method].title} | {TASKS[task].title} | {processor}"
            yield f"| {names} | {ours:,.0f} | {peer:,.0f} | {ours / peer:.2f} |"


def _speeds_by_processor(runs: Sequence[dict[str, Any]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for run in runs:
        found.setdefault(run["processor"], []).append(steps_per_second(run))
    return found


def _rows(results: Results) -> list[tuple[str, str]]:
    there = {(cell.task, cell.method) for cell in results}
    return [(task, method) for task in TASKS for method in METHODS if (task, method) in there]


def _of(results: Results, task: str, method: str, side: str) -> list[dict[str, Any]]:
    wanted = (task, method, side)
    return [found for cell, found in results.items() if (cell.task, cell.method, cell.side) == wanted]


def _estimate(values: Sequence[float]) -> str:
    if not values:
        return "-"
    if len(values) > FEW:
        found: Estimate = estimate(np.array(values))
        return f"{found.mean:.1f} ({found.low:.1f} to {found.high:.1f})"
    seeds = ", ".join(f"{value:.1f}" for value in values)
    return f"{np.mean(values):.1f} ({seeds})" if len(values) > 1 else seeds


def _curves(runs: Sequence[dict[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the curves of runs, (runs, steps), at the steps of the first."""
    curves = [np.array([[step, value] for step, value, _ in run["curve"] if value is not None]) for run in runs]
    steps = curves[0][:, 0]
    return steps, np.array([np.interp(steps, curve[:, 0], curve[:, 1]) for curve in curves])
