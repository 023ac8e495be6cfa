"""The effect of a distribution shift on a policy and on a world model, beside what they do as in training."""

from __future__ import annotations

import math
from typing import NamedTuple

from worldmodels.analysis.statistics.aggregate import Estimate, difference
from worldmodels.analysis.statistics.level_measures import over_chance, over_copying
from worldmodels.evaluation.measures.knowledge import Knowledge, knowledge_metrics
from worldmodels.evaluation.measures.model_errors import WorldModelErrors
from worldmodels.evaluation.measures.policy_returns import Episodes

NORMAL = 1.959963984540054
"""The standard errors between a mean and the end of its 95 % interval, in a normal distribution."""


class ModelFigures(NamedTuple):
    """The figures of a world model in one environment, where its own policy plays. What was not measured is NaN."""

    image_error: float
    """The error of the image at the horizon, as a share of that of copying the last frame."""
    image_standard_error: float
    """The standard error of that share, the error of copying taken as it is."""
    rewards_foreseen: float
    """The average precision of rewards, on the scale where chance is 0 and perfection 1."""
    ends_foreseen: float
    """That of ends of episodes."""
    known: float
    """The mean share of the variance of the game's variables that linear probes read of the features."""


class ShiftedPlay(NamedTuple):
    """The play of a run in one environment."""

    policy: Episodes
    random: Episodes
    """The episodes of the random policy on the same levels."""
    model: ModelFigures | None
    """The figures of the world model; None for a run without one."""


def model_figures(errors: WorldModelErrors, knowledge: Knowledge | None) -> ModelFigures:
    """Return the figures of a world model at the horizon of its errors."""
    share = standard_error = math.nan
    if errors.image_error is not None and errors.copy_image_error is not None:
        copied = float(errors.copy_image_error.mean[-1])
        share = over_copying(float(errors.image_error.mean[-1]), copied)
        standard_error = over_copying(float(errors.image_error.standard_error[-1]), copied)
    seen = errors.foresight
    foreseen = (
        over_chance(seen.reward_average_precision, seen.reward_base_rate) if seen else math.nan,
        over_chance(seen.end_average_precision, seen.end_base_rate) if seen else math.nan,
    )
    known = knowledge_metrics(knowledge).get("eval/known", math.nan) if knowledge else math.nan
    return ModelFigures(share, standard_error, *foreseen, known)


def lost_return(shifted: ShiftedPlay, training: ShiftedPlay) -> Estimate:
    """Return by how much the mean return is higher than as in training, negative where it is lost."""
    return difference(shifted.policy.returns, training.policy.returns)


def policy_verdict(shifted: ShiftedPlay, training: ShiftedPlay) -> str:
    """Return what a shift does to the policy: "breaks", where it is not better than random play beyond chance; "harms",
    where its return is lower than as in training, beyond chance; "-" otherwise."""
    if not difference(shifted.policy.returns, shifted.random.returns).low > 0:
        return "breaks"
    return "harms" if lost_return(shifted, training).high < 0 else "-"


def model_verdict(shifted: ModelFigures | None, training: ModelFigures | None) -> str:
    """Return what a shift does to the world model: "breaks", where its images are not better than the last frame,
    copied, beyond chance; "harms", where their error is a larger share of copying's than as in training, beyond
    chance; "-" otherwise. Where no images were measured "?", and "" where there is no model.
    """
    if shifted is None or training is None:
        return ""
    if math.isnan(shifted.image_error) or math.isnan(training.image_error):
        return "?"
    if not shifted.image_error + NORMAL * shifted.image_standard_error < 1:
        return "breaks"
    gap = shifted.image_error - training.image_error
    return "harms" if gap > NORMAL * math.hypot(shifted.image_standard_error, training.image_standard_error) else "-"
