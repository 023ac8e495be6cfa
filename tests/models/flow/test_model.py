"""The flow model learns what follows, keeps the actions that its network reads, and samples possible futures."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.core.errors import CheckpointError, ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.models import build_model
from worldmodels.models.config import OptimizerConfig
from worldmodels.models.flow.config import FlowConfig
from worldmodels.models.flow.model import Flow

SHAPE, ACTIONS = (8, 8, 1), 3
SMALL = FlowConfig(frames=2, width=16, blocks=1, optimizer=OptimizerConfig(learning_rate=3e-3, epsilon=1e-8))


def build(config: FlowConfig = SMALL, action: ActionSpec | None = None) -> Flow:
    model = build_model(config, ObservationSpec.of(*SHAPE), action or ActionSpec(count=ACTIONS), np.array([1, 2]))
    assert isinstance(model, Flow)
    return model


def windows(seed: int, rows: int = 16, steps: int = 4) -> Batch:
    """Frames whose colour an action chooses: after action 0 black, after 1 white, after 2 either, at random."""
    random = np.random.default_rng(seed)
    action = random.integers(0, ACTIONS, (rows, steps)).astype(np.int32)
    light = np.where(action == 2, random.integers(0, 2, action.shape), action)
    colour = np.concatenate([np.zeros((rows, 1), int), light[:, :-1]], 1) * 255
    frames = np.broadcast_to(colour[:, :, None, None, None], (rows, steps, *SHAPE)).astype(np.uint8)
    false = np.zeros((rows, steps), bool)
    reward = (colour > 0).astype(np.float32)
    return Batch(frames, reward, false, false, false, action)


def state_of(model: Flow, rows: int):
    frames = np.zeros((rows, *SHAPE), np.uint8)
    return model.observe(model.initial(rows), frames, np.zeros(rows, np.int32), np.ones(rows, bool), np.array([0, 1]))


@pytest.fixture(scope="module")
def learned() -> Flow:
    model = build()
    for update in range(300):
        model.fit(windows(update), np.array([update, 7]))
    return model


def test_frames_and_rewards_follow_the_action(learned: Flow) -> None:
    state = learned.imagine(state_of(learned, 2), np.array([0, 1]), 1.0, np.array([3, 4]))
    light = learned.frame(state).numpy().mean((1, 2, 3))
    assert light[0] < 30 and light[1] > 225
    np.testing.assert_allclose(learned.reward(state), [0, 1], atol=0.2)


def test_events_are_learned_from_all_steps_of_a_window() -> None:
    """Windows of 4 steps have 2 targets behind 2 frames, and rewards at 3 steps."""
    losses = {}
    for step in range(4):
        batch = windows(0)
        reward = np.zeros_like(batch.reward)
        reward[:, step] = 1.0
        losses[step] = float(build().fit(batch._replace(reward=reward), np.array([0, 7]))[0]["model/reward_loss"])
    # Before it learns, the head gives each reward the same loss; nothing leads to the first step of a window.
    assert losses[0] < losses[1] and losses[1] == pytest.approx(losses[2]) == pytest.approx(losses[3])


def test_samples_decide_and_the_mean_does_not(learned: Flow) -> None:
    rows = 64
    state, action = state_of(learned, rows), np.full(rows, 2)
    light = learned.frame(learned.imagine(state, action, 1.0, np.array([3, 4]))).numpy().mean((1, 2, 3))
    assert ((light < 50) | (light > 205)).mean() > 0.8
    assert 0.2 < (light > 128).mean() < 0.8
    mean = learned.frame(learned.imagine(state, action, 0.0, np.array([3, 4]))).numpy().mean((1, 2, 3))
    assert np.abs(mean - 127.5).max() < 60


def test_one_call_averages_what_more_calls_choose_from(learned: Flow) -> None:
    state, action = state_of(learned, 64), np.full(64, 2)
    grey = {}
    for calls in (1, 3):
        learned.set_calls(calls)
        light = learned.frame(learned.imagine(state, action, 1.0, np.array([3, 4]))).numpy().mean((1, 2, 3))
        grey[calls] = ((light > 50) & (light < 205)).mean()
    assert grey[1] > 0.5 and grey[3] < 0.2 and learned.config.calls == 3


def test_the_averages_alone_draw_as_all_weights_do(learned: Flow) -> None:
    """A pack has the averages, and not the network's weights that they follow."""
    tree = learned.save()
    tree["weights"] = {name: value for name, value in tree["weights"].items() if not name.startswith("flow/")}
    packed = build()
    packed.load(tree)
    state, action = state_of(learned, 2), np.array([0, 1])
    ours, theirs = (model.imagine(state, action, 1.0, np.array([3, 4])) for model in (learned, packed))
    np.testing.assert_array_equal(learned.frame(ours), packed.frame(theirs))
    np.testing.assert_array_equal(ours.reward, theirs.reward)
    # Packs from before events had an optimizer of their own have one count.
    tree["optimizer"] = {"updates": 300}
    del tree["events"]
    packed.load(tree)
    assert int(packed.save()["events"]["optimizer"]["updates"]) == 300
    del tree["averages"]["averaged/place"]
    with pytest.raises(CheckpointError, match="lacks 'flow/place'"):
        build().load(tree)


def test_a_drawing_says_where_pixels_come_from(learned: Flow) -> None:
    frames, shares, motions = learned.draw(state_of(learned, 2), np.array([0, 1]), 1.0, np.array([3, 4]))
    assert frames.shape == (2, 3, *SHAPE) and shares.shape == (2, 8, 8, 6)
    assert np.mean(shares[1], (0, 1))[-1] > 0.9  # the last frame was black, so white is painted
    np.testing.assert_array_equal(motions[:, 0], np.zeros((2, 2)))
    assert np.isnan(motions[:, -1]).all() and np.isfinite(motions[:, 1:-1]).all()


def test_the_state_keeps_the_last_actions() -> None:
    model = build(FlowConfig(frames=3, width=8, blocks=1), ActionSpec(low=(-1.0, 0.0), high=(1.0, 2.0)))
    frames = np.zeros((1, 4, *SHAPE), np.uint8)
    actions = np.arange(8, dtype=np.float32).reshape(1, 4, 2)  # the first led to nothing that is seen
    states = model.observe_sequence(frames, actions, np.array([[True, False, False, False]]), np.array([0, 1]))
    np.testing.assert_allclose(states.actions[0], [[0, 0, 0, 0], [0, 0, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7]])


def test_averages_follow_the_weights_and_draw(learned: Flow) -> None:
    model = build()
    tree = learned.save()
    model.load(tree)
    for name, average in tree["averages"].items():
        assert not np.array_equal(average, tree["weights"][name.replace("averaged", "flow")]), name
    state, action, seed = state_of(model, 2), np.array([0, 1]), np.array([3, 4])
    np.testing.assert_array_equal(
        model.frame(model.imagine(state, action, 1.0, seed)), learned.frame(learned.imagine(state, action, 1.0, seed))
    )


def test_windows_too_short_are_refused() -> None:
    with pytest.raises(ConfigError, match="Windows of 2 steps hold no frame .* at least 3"):
        build().fit(windows(0, steps=2), np.array([0, 1]))


def test_it_predicts_images_alone() -> None:
    with pytest.raises(ConfigError, match="model.kind is 'flow', which does not fit this environment"):
        build_model(SMALL, ObservationSpec.of(5), ActionSpec(count=2), np.array([1, 2]))
