"""Judges the effect of a distribution shift on a policy and on a world model, compared with training."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from worldmodels.analysis.statistics.intervals import Estimate, difference
from worldmodels.evaluation.measures.world_model import IMAGE_ERROR, IMAGE_STANDARD_ERROR
from worldmodels.evaluation.playing.policy_returns import Episodes

NORMAL = 1.959963984540054
"""The standard errors between a mean and the end of its 95 % interval, in a normal distribution."""


class ShiftedPlay(NamedTuple):
    """The play of a run in one environment."""

    policy: Episodes
    random: Episodes
    """The episodes of the random policy on the same levels."""
    model: Mapping[str, float] | None
    """The figures of the world model by name, NaN if not measured; None for a run without one."""


def lost_return(shifted: ShiftedPlay, training: ShiftedPlay) -> Estimate:
    """Return by how much the mean return is higher than as in training, negative for a loss."""
    return difference(shifted.policy.returns, training.policy.returns)


def policy_verdict(shifted: ShiftedPlay, training: ShiftedPlay) -> str:
    """Return the effect of a shift on the policy.

    "breaks": it is not better than random play, beyond chance. "harms": its return is lower than as in training, beyond
    chance. "-": neither.
    """
    if not difference(shifted.policy.returns, shifted.random.returns).low > 0:
        return "breaks"
    return "harms" if lost_return(shifted, training).high < 0 else "-"


def model_verdict(shifted: Mapping[str, float] | None, training: Mapping[str, float] | None) -> str:
    """Return the effect of a shift on the world model.

    "breaks": its images are not better than the last frame, copied, beyond chance. "harms": their error is a larger
    share of copying's than as in training, beyond chance. "-": neither. "?": no images were measured. "": no model.
    """
    if shifted is None or training is None:
        return ""
    error, standard_error = shifted[IMAGE_ERROR], shifted[IMAGE_STANDARD_ERROR]
    if math.isnan(error) or math.isnan(training[IMAGE_ERROR]):
        return "?"
    if not error + NORMAL * standard_error < 1:
        return "breaks"
    gap = error - training[IMAGE_ERROR]
    return "harms" if gap > NORMAL * math.hypot(standard_error, training[IMAGE_STANDARD_ERROR]) else "-"
