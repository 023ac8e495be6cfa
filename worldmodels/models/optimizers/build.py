"""An optimizer is built by the kind of its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from worldmodels.models.config import AdafactorConfig, LaPropConfig, OptimizerConfig
from worldmodels.models.optimizers.adafactor import Adafactor
from worldmodels.models.optimizers.optimizer import Descent, LaProp, Optimizer


def build_optimizer(
    variables: Mapping[str, tf.Variable], config: AdafactorConfig | OptimizerConfig | LaPropConfig
) -> Descent:
    """Return the optimizer of the configuration's kind."""
    classes: dict[str, Any] = {"adam": Optimizer, "adafactor": Adafactor, "laprop": LaProp}
    return classes[config.kind](variables, config)
