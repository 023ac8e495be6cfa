"""Measures the errors of a world model in windows that it has not learned from."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from worldmodels.core.types import Batch
from worldmodels.evaluation.predictions.model_errors import WorldModelErrors, model_errors
from worldmodels.evaluation.predictions.open_loop import OpenLoopPredictor


def held_out_errors(model: Any, test: Batch, context: int, key: tf.Tensor) -> WorldModelErrors:
    """Return the errors of a world model that sees `context` steps of each window, and predicts the others alone."""
    predicted, _ = OpenLoopPredictor(model, context).measure(test, key)
    return model_errors(predicted, test, context, model.spec)
