"""Shows the metrics of many checkpoints: a table on the terminal and a picture over their steps."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from pathlib import Path

from worldmodels.analysis.plots.evaluation_plots import StepCurve, plot_over_steps
from worldmodels.evaluation.report.numbers import number
from worldmodels.telemetry.run_table import print_table


def print_checkpoints(rows: Mapping[int, Mapping[str, float]], shown: Collection[str]) -> None:
    """Print a few figures of each checkpoint, a line each.

    Args:
        rows: metrics by step.
        shown: names of metrics without `eval/`; a name that ends in `_` stands for all that begin so.
    """
    names = dict.fromkeys(name for values in rows.values() for name in values if _is_shown(name, shown))
    lines = [[f"{step:,}", *(number(values.get(n, math.nan), 4) for n in names)] for step, values in rows.items()]
    titles = [name.removeprefix("eval/").replace("_", " ") for name in names]
    print_table("All checkpoints", ["step", *titles], lines)


def _is_shown(name: str, shown: Collection[str]) -> bool:
    short = name.removeprefix("eval/")
    return any(short == chosen or (chosen.endswith("_") and short.startswith(chosen)) for chosen in shown)


def draw_checkpoints(rows: Mapping[int, Mapping[str, float]], save: Path) -> Path:
    """Draw returns and errors against the step of the checkpoint; return the path.

    Args:
        rows: metrics by step.
    """
    names = dict.fromkeys(name.removeprefix("eval/") for values in rows.values() for name in values)

    def curve(name: str, label: str) -> StepCurve:
        points = {step: values[f"eval/{name}"] for step, values in rows.items() if f"eval/{name}" in values}
        return StepCurve(label, list(points), list(points.values()), name.startswith(_BASELINES))

    chart = {}
    for title, beginnings in _OVER_STEPS.items():
        lines = [name for name in names if name.startswith(beginnings) and not name.endswith(_HIDDEN)]
        if lines:
            chart[title] = [curve(name, name.replace("_", " ")) for name in lines]
    return plot_over_steps(chart, save, "All checkpoints")


_OVER_STEPS = {
    "Return": ("return", "random_return", "planner_return", "planner_random_return"),
    "Image error, mean squared": ("image_error_at", "copy_image_error_at"),
    "Image error of moving pixels": ("moving_image_error_at", "copy_moving_image_error_at"),
    "Average precision of what is foreseen": (
        "reward_average_precision",
        "reward_base_rate",
        "end_average_precision",
        "end_base_rate",
        "unrewarded_end_average_precision",
        "unrewarded_end_base_rate",
    ),
    "Reward sum accuracy": ("reward_sum_accuracy_at", "constant_reward_sum_accuracy_at"),
    "Return inside the model": ("imagined_return_at", "real_return_at"),
}
_BASELINES = (
    "random_",
    "planner_random_",
    "copy_",
    "constant_",
    "real_",
    "reward_base_rate",
    "end_base_rate",
    "unrewarded_end_base_rate",
)
_HIDDEN = ("_clipped", "_standard_error")
