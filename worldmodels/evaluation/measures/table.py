"""Lists all measures, in the order in which they are taken.

Measures of a world model come first: a horizon that is too long is then an error before hours of play. Measures on
recorded experience stand together, because its windows are large and are freed after the last of them.
"""

from __future__ import annotations

from typing import Any

from worldmodels.evaluation.measure import Measure
from worldmodels.evaluation.measures.action_effects import ACTION_EFFECTS
from worldmodels.evaluation.measures.imagined import IMAGINED
from worldmodels.evaluation.measures.knowledge import KNOWLEDGE
from worldmodels.evaluation.measures.optimism import OPTIMISM
from worldmodels.evaluation.measures.readings import READINGS
from worldmodels.evaluation.measures.returns import RETURNS
from worldmodels.evaluation.measures.sharpness import SHARPNESS
from worldmodels.evaluation.measures.world_model import WORLD_MODEL

MEASURES: tuple[Measure[Any], ...] = (
    WORLD_MODEL,
    SHARPNESS,
    READINGS,
    OPTIMISM,
    KNOWLEDGE,
    ACTION_EFFECTS,
    RETURNS,
    IMAGINED,
)
