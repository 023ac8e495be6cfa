"""Puts returns on one scale for all games: 0 for a policy without observations, 1 for the best practical policy.

The constants are those published with Procgen (`analysis/runs/scores/procgen.yaml`).
"""

from __future__ import annotations

import numpy as np

from worldmodels.analysis.runs.reference_scores import Task, find_scale


def normalised_return(game: str, distribution_mode: str, value: float) -> float | None:
    """Return `value` on the common scale; None for a game or a mode without published constants."""
    scale, task = find_scale("range"), Task(game, distribution_mode)
    return float(scale.normalised(task, np.float64(value))) if scale and scale.has(task) else None
