"""Computes errors of predicted vectors, each number in units of its variance.

One letter per axis: W windows, C steps that are observed (the context), H steps that are predicted, D numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def vector_errors(predicted: Mapping[str, np.ndarray], observed: Mapping[str, np.ndarray], context: int) -> np.ndarray:
    """Return the mean over all numbers of squared errors over variances, float64 (W, H): 1 is as good as the mean.

    Numbers that never change are left out.

    Args:
        predicted: float32 (W, H, D), or (W, 1, D) for one prediction of all steps, by the names of parts.
        observed: float32 (W, C + H, D), the recorded vectors of the same parts.
    """
    guess, truth = (np.concatenate([of[name] for name in predicted], -1).astype(float) for of in (predicted, observed))
    variance = truth.var((0, 1))
    varies = variance > 0
    error = np.square(guess - truth[:, context:])[..., varies] / variance[varies]
    result: np.ndarray = error.mean(-1) if varies.any() else np.zeros(error.shape[:2])
    return result


def copied_vectors(observed: Mapping[str, np.ndarray], context: int) -> dict[str, np.ndarray]:
    """Return the last vectors of the context, as a prediction of all steps: float32 (W, 1, D) by name."""
    return {name: values[:, context - 1 : context] for name, values in observed.items()}
