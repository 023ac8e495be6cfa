"""Converts the numbers of an evaluation to text and to JSON; docs/reference/evaluation_json.md describes the JSON.

Converts the curves of measures to lines of a picture against the horizon.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from worldmodels.analysis.plots.evaluation_plots import HorizonCurve
from worldmodels.analysis.statistics.bootstrap import Estimate
from worldmodels.evaluation.predictions.event_foresight import EventForesight
from worldmodels.evaluation.predictions.model_errors import Curve


def number(value: float, digits: int = 2) -> str:
    """Return a number as it stands in a table; "?" for one that is not known."""
    return "?" if math.isnan(value) else f"{value:.{digits}f}"


def metrics_tree(metrics: Mapping[str, float]) -> dict[str, Any]:
    """Return metrics by name as a tree; what is not known is None, the error of a mean of one episode, say."""
    return {name: finite(value) for name, value in metrics.items()}


def figures_tree(figures: Any) -> dict[str, Any]:
    """Return a named tuple of curves, estimates and numbers as a tree; what is not known is None."""
    tree: dict[str, Any] = {}
    for name, value in figures._asdict().items():
        if isinstance(value, Curve):
            tree[name] = {part: finite_list(values) for part, values in value._asdict().items()}
        else:
            named = isinstance(value, Estimate | EventForesight)
            tree[name] = metrics_tree(value._asdict()) if named else finite(value)
    return tree


def finite(value: float | None) -> float | None:
    """Return a number, or None for NaN, which JSON does not have."""
    return value if value is not None and math.isfinite(value) else None


def finite_list(values: np.ndarray) -> list[float | None]:
    """Return numbers as a list, with None for NaN."""
    return [finite(value) for value in values.tolist()]


def horizon_curve(label: str, curve: Curve, baseline: bool = False) -> HorizonCurve:
    """Return a curve as a line with its band of standard errors; a baseline has none."""
    return HorizonCurve(label, curve.mean, None if baseline else curve.standard_error, baseline)
