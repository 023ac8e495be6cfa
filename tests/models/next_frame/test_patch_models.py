"""Both next-frame models with the layout of patches and the output that copies, at a tiny size of odd sides."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.models import build_model
from worldmodels.models.config import OptimizerConfig
from worldmodels.models.next_frame.config import (
    DeterministicConfig,
    LatentConfig,
    MotionOutputConfig,
    PatchNetworkConfig,
    SamplingConfig,
    StochasticDiscreteConfig,
)

KINDS = ["deterministic", "stochastic_discrete"]
SHAPE, ACTIONS = (9, 14, 3), 3


def build(kind: str, seed: int = 0, **changes):
    patch_motions = kind == "deterministic"
    settings = {
        "network": PatchNetworkConfig(patch=4, depth=16, bottleneck=16, blocks=1, patch_motions=patch_motions),
        "output": MotionOutputConfig(motions=1, depth=16, patch_motions=patch_motions),
        "frames": 2,
        "pixel_noise": 0.0,
        "sampling": SamplingConfig(final=0.5, exponential_updates=0, linear_updates=0),
        "reward": "symlog",
        "loss_cutoff": 0.0,
        "optimizer": OptimizerConfig(learning_rate=1e-2, weight_decay=0),
    }
    config: DeterministicConfig | StochasticDiscreteConfig
    if kind == "deterministic":
        config = DeterministicConfig(**settings | changes)
    else:
        latent = LatentConfig(bits=4, group=2, units=8, ramp_updates=20, use_ramp_updates=10)
        config = StochasticDiscreteConfig(**settings, network_frames=2, memory=4, latent=latent)
    return build_model(config, ObservationSpec.of(*SHAPE), ActionSpec(ACTIONS), np.array([seed, 7], np.int32))


@pytest.fixture(scope="module")
def window() -> Batch:
    """4 windows of 5 steps: a bright column moves left, stays or moves right, as the action says; action 2 pays 3."""
    random = np.random.default_rng(0)
    action = random.integers(0, ACTIONS, (4, 5)).astype(np.int32)
    moves = np.pad(action[:, :-1] - 1, [(0, 0), (1, 0)])
    column = 7 + np.cumsum(moves, 1)
    observation = np.full((4, 5, *SHAPE), 30, np.uint8)
    for row, time in np.ndindex(4, 5):
        observation[row, time, :, column[row, time]] = 250
    nothing = np.zeros((4, 5), bool)
    return Batch(observation, 3.0 * (moves == 1).astype(np.float32), nothing, nothing, nothing, action)


@pytest.fixture(scope="module")
def learned(window):
    """One of each kind after 150 updates on one batch."""
    made = {}

    def learn(kind):
        if kind not in made:
            made[kind] = build(kind)
            for i in range(150):
                made[kind].fit(window, np.array([5, i], np.int32))
        return made[kind]

    return learn


def state_at(model, window, time: int, seed):
    states = model.observe_sequence(window.observation, window.action, window.is_first, seed)
    return tf.nest.map_structure(lambda x: x[:, time], states)


@pytest.mark.parametrize("kind", KINDS)
def test_it_learns_to_move_what_the_action_moves(learned, window, seed, kind):
    model = learned(kind)
    state = model.imagine(state_at(model, window, 1, seed), window.action[:, 1], 0.0, seed)
    np.testing.assert_array_equal(model.frame(state), window.observation[:, 2])
    np.testing.assert_allclose(model.reward(state), window.reward[:, 2], atol=0.8)
    assert (model.continuation(state).numpy() > 0.5).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_restored_model_goes_on_bit_for_bit(learned, window, seed, kind):
    straight, resumed = learned(kind), build(kind, 2)
    resumed.load(straight.save())
    for _ in range(2):
        for one, other in zip(
            straight.fit(window, seed)[0].values(), resumed.fit(window, seed)[0].values(), strict=True
        ):
            assert one == other
    np.testing.assert_equal(resumed.save(), straight.save())


@pytest.mark.parametrize("kind", KINDS)
def test_imagination_repeats_with_its_seed(learned, window, seed, kind):
    model = learned(kind)
    state = state_at(model, window, 4, seed)
    action = np.array([0, 1, 2, 2], np.int32)
    once, again = (model.imagine(state, action, 1.0, seed) for _ in range(2))
    for one, other in zip(tf.nest.flatten(once), tf.nest.flatten(again), strict=True):
        np.testing.assert_array_equal(one, other)
    assert model.features(once).shape == (4, 9, 14, 6)


def test_what_the_network_makes_of_patches_says_where_something_is(window, seed):
    """16 numbers of each of 3 x 4 patches, and the vector of all: a column elsewhere changes those of its patches."""
    model = build("deterministic", features="network")
    assert model.spec.feature_shape == (3 * 4 * 16 + 16,)
    states = model.observe_sequence(window.observation, window.action, window.is_first, seed)
    features = model.features(states).numpy()[:, 0]
    patches = features[:, : 3 * 4 * 16].reshape(4, 3, 4, 16)
    dark = model.features(tf.nest.map_structure(lambda x: x[:, 0], states)._replace(frames=tf.fill((4, 9, 14, 6), 30)))
    moved = np.abs(patches - dark.numpy()[:, : 3 * 4 * 16].reshape(4, 3, 4, 16)).max((1, 3)) > 0
    assert moved.tolist() == [[False, True, False, False]] * 4  # column 7 of patches four wide
    assert features.min() >= 0
