from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.networks.bodies import build_head
from worldmodels.agents.off_policy.agent import Critics
from worldmodels.agents.off_policy.config import SACConfig
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig

PARTS = {"eye": ArraySpec((9, 8, 2)), "touch": ArraySpec((3,)), "self": ArraySpec((2,))}
SEEN = {
    "eye": tf.constant(np.random.default_rng(0).integers(0, 256, (4, 9, 8, 2)), tf.uint8),
    "touch": tf.ones((4, 3)),
    "self": tf.ones((4, 2)),
}
WIDTHS = {("touch",): 3, ("touch", "self"): 5, ("eye",): 128, ("eye", "touch", "self"): 133}
"""What dense layers read: vectors as they are, beside the small network's 128 numbers."""


def spec_of(names: tuple[str, ...]) -> ModelSpec:
    features = ObservationSpec(tuple((name, PARTS[name]) for name in names))
    return ModelSpec(features, ActionSpec(low=(-1.0, -1.0), high=(1.0, 1.0)), features)


@pytest.mark.parametrize("names", WIDTHS)
def test_a_head_reads_all_parts_and_begins_at_zero(names):
    head = build_head(HeadConfig(1, 8), "small", spec_of(names), 6, np.random.default_rng(0), "actor")
    features = {name: SEEN[name] for name in names}
    assert head(features).numpy().tolist() == [[0.0] * 6] * 4
    widths = [weight.shape[0] for weight in head.trainable_weights if len(weight.shape) == 2]
    assert WIDTHS[names] in widths


@pytest.mark.parametrize("names", WIDTHS)
def test_critics_read_all_parts_and_the_action(names):
    config = SACConfig(network=HeadConfig(1, 8))
    critics = Critics(2, config, spec_of(names), np.random.default_rng(0), "critics")
    assert critics({name: SEEN[name] for name in names}, tf.zeros((4, 2))).shape == (2, 4)
    assert (2, WIDTHS[names] + 2, 8) in {tuple(weight.shape) for weight in critics.trainable_weights}
