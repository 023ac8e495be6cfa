"""Compares the return of a policy in its model with its real return, from the same starts.

A policy that learns in a model learns to exploit its errors: it seeks rewards that only the model predicts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from worldmodels.analysis.statistics.bootstrap import Estimate, estimate
from worldmodels.core.types import Batch
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import NOTHING, Extras, Measure, Occasion
from worldmodels.evaluation.predictions.imagined_play import returns_of_starts, usable_starts
from worldmodels.imagination.model_view import Prediction

FOOLED = 1.5
"""Imagined return, as a multiple of the real one, above which a policy fools its model."""
UNSEEN = 3.0
"""Rewarded starts in W that may remain unobserved with a probability of 5 % (the rule of three)."""


class Optimism(NamedTuple):
    """The returns of a policy in its model and in reality, over H steps from the same starts."""

    imagined: Estimate
    real: Estimate
    difference: Estimate
    """The imagined less the real return, start by start."""
    unseen: float
    """The real return that so many starts may leave unseen, where it is large and rare."""
    horizon: int

    @property
    def fooled(self) -> bool:
        """Whether the model predicts far too much return, and more than chance and rare events explain."""
        excess = self.imagined.mean - self.real.mean
        return excess > (FOOLED - 1) * abs(self.real.mean) and self.difference.low > self.unseen


def play_recorded(evaluator: Evaluator, occasion: Occasion) -> Optimism | None:
    """Play the policy inside the model from the starts of windows that it has played itself.

    None if no start can be used.
    """
    windows, context = evaluator.recorded(), evaluator.settings.context
    usable = usable_starts(windows, context)
    if not usable.any():
        return None
    windows = windows.map(lambda values: values[usable])
    played = evaluator.imagined_player.play(windows, evaluator.streams.key("optimism"), 1.0, 1.0, frames=False)
    return measure_optimism(played, windows, context)


def measure_optimism(played: Prediction, windows: Batch, context: int) -> Optimism:
    """Return both sides of play from the starts of windows that are all usable, as `compare_play`."""
    imagined, real = (returns[:, -1] for returns in returns_of_starts(played, windows, context))
    # If no reward was recorded, its size is unknown: 1 is common.
    largest = max(float(abs(imagined).max()), float(abs(windows.reward).max()) or 1.0)
    unseen = UNSEEN / len(imagined) * largest
    horizon = windows.reward.shape[1] - context
    return Optimism(estimate(imagined), estimate(real), estimate(imagined - real), unseen, horizon)


def optimism_metrics(optimism: Optimism) -> dict[str, float]:
    """Return both returns as metrics, and their ratio where something was really earned."""
    imagined, real = optimism.imagined.mean, optimism.real.mean
    metrics = {"eval/imagined_return": imagined, "eval/real_return": real}
    if real > 0:
        metrics["eval/imagined_over_real"] = imagined / real
    return {name: float(value) for name, value in metrics.items() if math.isfinite(value)}


def fooled_warning(optimism: Optimism, levels: str = "") -> str | None:
    """Return what is to be said of a policy that fools its model; None where it does not.

    Args:
        levels: a word in front of "levels", where they are not those of training.
    """
    if not optimism.fooled:
        return None
    imagined, real = (f"{side.mean:.3g} ({side.low:.3g} to {side.high:.3g})" for side in optimism[:2])
    where = f", on {levels} levels" if levels else ""
    return (
        f"The policy fools its model: imagined return {imagined}, real {real} over {optimism.horizon} steps from the "
        f"same starts{where}."
    )


def _warning(optimism: Optimism, evaluator: Evaluator, occasion: Occasion) -> Extras:
    warning = fooled_warning(optimism, "" if occasion.levels == "train" else occasion.levels)
    return Extras(message=warning) if warning else NOTHING


OPTIMISM = Measure(
    name="optimism",
    run=play_recorded,
    metrics=optimism_metrics,
    needs=("world model", "policy", "experience"),
    occasions=("training",),
    extras=_warning,
)
"""The returns of the policy in the model beside the real ones; `worldmodels eval --mode imagined` has more of them."""
