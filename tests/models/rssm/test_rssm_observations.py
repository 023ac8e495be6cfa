"""An RSSM of vectors, of several images, and of boxes of actions."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.models import build_model
from worldmodels.models.config import HeadConfig, OptimizerConfig, PatchConfig
from worldmodels.models.rssm.config import RSSMConfig

EYES = ObservationSpec(
    (
        ("arm", ArraySpec((2,))),
        ("left", ArraySpec((16, 16, 3))),
        ("leg", ArraySpec((1,))),
        ("right", ArraySpec((16, 16, 1))),
    )
)
IMAGE = PatchConfig(patch=4, depth=8)
BOX = ActionSpec(low=(0.0, -2.0), high=(1.0, 2.0))
KEY = np.array([3, 4], np.int32)
SMALL = RSSMConfig(
    recurrent=16,
    hidden=12,
    latents=3,
    classes=4,
    encoder=IMAGE,
    decoder=IMAGE,
    vectors=HeadConfig(1, 8),
    heads=HeadConfig(1, 8),
    reward_transform="none",
    optimizer=OptimizerConfig(learning_rate=1e-2),
)


def make(config: RSSMConfig = SMALL, observation: ObservationSpec = EYES, action: ActionSpec = BOX):
    return build_model(config, observation, action, np.array([0, 7], np.int32))


def batch_of(observation: ObservationSpec, action: ActionSpec, rows: int = 4, steps: int = 6) -> Batch:
    """Noise, in which only the first step of each window begins an episode."""
    random = np.random.default_rng(1)
    arrays = {
        name: random.integers(0, 256, (rows, steps, *part.shape), np.uint8)
        if part.is_image
        else random.normal(size=(rows, steps, *part.shape)).astype(np.float32)
        for name, part in observation.parts
    }
    flags = np.zeros((rows, steps), bool)
    is_first = flags.copy()
    is_first[:, 0] = True
    actions = action.random(rows * steps, random).reshape(rows, steps, *action.shape)
    reward = random.normal(size=(rows, steps)).astype(np.float32)
    return Batch(observation.pack(arrays), reward, is_first, flags, flags, actions)


def observed(model, batch: Batch):
    states = model.observe_sequence(batch.observation, batch.action, batch.is_first, KEY)
    return tf.nest.map_structure(lambda x: x[:, -1], states)


@pytest.fixture(scope="module")
def model():
    """Its weights stay as they are."""
    return make()


@pytest.fixture(scope="module")
def state(model):
    return observed(model, batch_of(EYES, BOX))


def test_it_predicts_the_first_image_and_each_vector(model, state):
    assert model.spec.image == "left" and model.spec.vectors == ("arm", "leg")
    assert model.frame(state).shape == (4, 16, 16, 3) and model.frame(state).dtype == tf.uint8
    assert {name: tuple(x.shape) for name, x in model.vectors(state).items()} == {"arm": (4, 2), "leg": (4, 1)}


@pytest.mark.parametrize("part", ["arm", "left", "leg", "right"])
def test_every_part_is_read(model, state, part):
    batch = batch_of(EYES, BOX)
    other = {**batch.observation, part: batch.observation[part] + np.asarray(1, batch.observation[part].dtype)}
    assert np.any(observed(model, batch._replace(observation=other)).recurrent != state.recurrent)


def test_a_box_of_actions_moves_it(model, state):
    one, other = (np.tile(np.float32([x, 0.5]), (4, 1)) for x in (-1.0, 1.0))
    moved = [model.imagine(state, action, 1.0, KEY).recurrent.numpy() for action in (one, other)]
    assert np.abs(moved[0] - moved[1]).max() > 1e-3


def test_choices_may_come_as_one_hot_vectors(build, batch, seed):
    model = build()
    state, chosen = observed(model, batch), np.array([1, 0, 4, 2], np.int32)
    as_number, as_vector = (model.imagine(state, action, 1.0, seed) for action in (chosen, tf.one_hot(chosen, 5)))
    np.testing.assert_array_equal(as_number.recurrent, as_vector.recurrent)


def test_it_learns_vectors_and_images():
    model, batch = make(), batch_of(EYES, BOX, rows=2)
    metrics = [model.fit(batch, KEY)[0] for _ in range(60)]
    for name in ("vectors", "image"):
        before, after = (float(metrics[i][f"model/{name}_loss"]) for i in (0, -1))
        assert after < 0.8 * before


def test_patterns_choose_what_is_read_and_what_is_predicted():
    model = make(replace(SMALL, encoder_keys="arm|left", decoder_keys="l.*"))
    batch = batch_of(EYES, BOX)
    state = observed(model, batch)
    other = {**batch.observation, "leg": batch.observation["leg"] + 1, "right": 255 - batch.observation["right"]}
    np.testing.assert_array_equal(observed(model, batch._replace(observation=other)).recurrent, state.recurrent)
    assert model.spec.image == "left" and model.spec.vectors == ("leg",) and list(model.vectors(state)) == ["leg"]


def test_vectors_alone_have_no_image():
    vectors = ObservationSpec.of(3)
    model = make(observation=vectors)
    assert model.spec.image is None and model.spec.vectors == ("",)
    metrics, states = model.fit(batch_of(vectors, BOX), KEY)
    assert "model/image_loss" not in metrics and states.recurrent.shape == (4, 6, 16)


def test_heads_that_are_left_out_teach_the_state_nothing():
    vectors, batch = ObservationSpec.of(3), batch_of(ObservationSpec.of(3), BOX)
    rewarded = batch._replace(reward=batch.reward + 5)
    weights = []
    for heads in (("decoder",), ("decoder", "reward")):
        for given in (batch, rewarded):
            model = make(replace(SMALL, gradient_heads=heads), vectors)
            for _ in range(3):  # heads begin at 0, and have no gradient to hand on
                model.fit(given, KEY)
            weights.append(model.save()["weights"]["dynamics/gru/kernel"])
    assert np.array_equal(weights[0], weights[1]) and not np.array_equal(weights[2], weights[3])


def test_without_a_head_for_ends_every_episode_goes_on():
    model = make(replace(SMALL, predict_continuation=False), ObservationSpec.of(3))
    metrics, states = model.fit(batch_of(ObservationSpec.of(3), BOX), KEY)
    assert "model/continuation_loss" not in metrics
    assert model.continuation(tf.nest.map_structure(lambda x: x[:, 0], states)).numpy().tolist() == [1.0] * 4
    assert not [name for name in model.save()["weights"] if name.startswith("continuation")]


def test_free_nats_of_the_mean_or_of_each_step():
    """With more free nats than the KL has, the loss is exactly that, and of each step it is at least the mean."""
    losses = {}
    for average in (False, True):
        for free in (1e3, 0.02):
            model = make(replace(SMALL, free_nats=free, free_average=average), ObservationSpec.of(3))
            metrics, _ = model.fit(batch_of(ObservationSpec.of(3), BOX), KEY)
            losses[average, free] = float(metrics["model/kl_loss"])
            mean = float(metrics["model/kl"])
    assert losses[False, 1e3] == losses[True, 1e3] == 1e3
    assert losses[True, 0.02] == pytest.approx(max(mean, 0.02)) and losses[False, 0.02] >= losses[True, 0.02]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"encoder_keys": "eye.*"}, "model.encoder_keys does not fit.*'arm', 'left', 'leg', 'right'. Received 'eye.*'"),
        ({"encoder_keys": "("}, "encoder_keys must be a regular expression. Received"),
        (
            {"picture_every": 1},
            "model.picture_every must be 0 .* must be uint8 images",
        ),
    ],
)
def test_what_does_not_fit_is_told(changes, text):
    with pytest.raises(ConfigError, match=text):
        replace(SMALL, **changes).spec(EYES, BOX)


def test_images_of_two_sizes_are_refused():
    two = ObservationSpec((("far", ArraySpec((8, 8, 3))), ("near", ArraySpec((16, 16, 3)))))
    with pytest.raises(ConfigError, match=re.escape("The images of an observation must have one size")):
        SMALL.spec(two, BOX)
    assert replace(SMALL, encoder_keys="near", decoder_keys="far").spec(two, BOX).image == "far"
