"""Converts the curves of measures to lines of a picture against the horizon."""

from __future__ import annotations

from worldmodels.analysis.plots.evaluation_plots import HorizonCurve
from worldmodels.evaluation.predictions.model_errors import Curve


def horizon_curve(label: str, curve: Curve, baseline: bool = False) -> HorizonCurve:
    """Return a curve as a line with its band of standard errors; a baseline has none."""
    return HorizonCurve(label, curve.mean, None if baseline else curve.standard_error, baseline)
