"""These checks are the contract of a world model: sequences, imagination, and learning."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.core.errors import CheckpointError, ConformanceError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.models.config import ModelConfig
from worldmodels.models.conformance.samples import (
    ACTION,
    ACTIONS,
    BATCH,
    ROWS,
    SHAPE,
    STEPS,
    before,
    differ,
    followed,
    key,
    last,
    leaves,
    make_model,
    observed,
    poisoned,
    renewed_learner,
    require,
    require_same,
    require_same_tree,
    seen,
    shared_model,
    signature,
)


def check_shapes_types_and_ranges(config: ModelConfig) -> None:
    """Check frames, rewards and continuations of observed and imagined states."""
    model, state = shared_model(config), observed(shared_model(config))
    imagined = model.imagine(state, ACTION, 1.0, key(2))
    _require_signature(imagined, signature(state), "an imagined state")
    for one in (state, imagined):
        _, frame, reward, continuation = seen(model, one)
        _require_signature(frame, [((ROWS, *SHAPE), tf.uint8)], "a frame")
        _require_signature([reward, continuation], [((ROWS,), tf.float32)] * 2, "reward and continuation")
        require(np.isfinite(reward).all(), f"rewards must be finite. Received {reward}.")
        probable = np.all((continuation.numpy() >= 0) & (continuation.numpy() <= 1))
        require(probable, f"continuations must be probabilities. Received {continuation}.")
    painted = model.frame(imagined, BATCH.observation[:, 0])
    _require_signature(painted, [((ROWS, *SHAPE), tf.uint8)], "a frame painted from the frame before")
    if not model.spec.copies:
        require_same(frame, painted, "frames of a model that copies nothing, without and with the frame before,")


def check_a_sequence_gives_the_states_of_its_steps(config: ModelConfig) -> None:
    """Check one step exactly, and several where features are images: no randomness of the model's own is in them."""
    model, states = shared_model(config), followed(shared_model(config))
    _require_signature(last(states), signature(model.initial(ROWS)), "a state of a sequence")
    _require_leading(states)
    first = model.observe_sequence(BATCH.observation[:, :1], ACTION[:, None], np.ones((ROWS, 1), bool), key(1))
    require_same(last(first), observed(model), "the states of observe_sequence of one step, and of observe,")
    if model.spec.feature_kind == "images":
        _check_steps_of_images(model, states)


def _check_steps_of_images(model: Any, states: Any) -> None:
    state, actions = model.initial(ROWS), before(BATCH)
    for t in range(STEPS):
        is_first = BATCH.is_first[:, t] | (t == 0)
        state = model.observe(state, BATCH.observation[:, t], actions[:, t], is_first, key(1))
        now = tf.nest.map_structure(lambda x, t=t: x[:, t], states)
        require_same(model.features(now), model.features(state), f"the features of a sequence and of step {t}")
        for one, other in zip(tf.nest.flatten(now), tf.nest.flatten(state), strict=True):
            near = np.allclose(one, other, atol=1e-5, rtol=1e-7)
            require(near, f"the state of a sequence at step {t} must be that of observing step by step, within 1e-5.")


def check_nothing_crosses_the_border_of_episodes(config: ModelConfig) -> None:
    """Check that row 1's first episode, before step 5, has no influence on its second episode."""
    observation, action = BATCH.observation.copy(), BATCH.action.copy()
    observation[1, :5], action[1, :5] = 255 - observation[1, :5], (action[1, :5] + 1) % ACTIONS
    model = shared_model(config)
    one, other = followed(model), followed(model, BATCH._replace(observation=observation, action=action))

    def part(states: Any, steps: slice) -> Any:
        return tf.nest.map_structure(lambda x: x[1, steps], states)

    first, second = slice(0, 5), slice(5, STEPS)
    require_same(part(one, second), part(other, second), "states of an episode, whatever came before it,")
    differs = differ(part(one, first), part(other, first))
    require(differs, "states must depend on what was observed in their episode; they do not.")


def check_a_sequence_can_go_on_from_a_state(config: ModelConfig) -> None:
    """Check that the state given to observe_sequence matters where no episode begins."""
    model, none = shared_model(config), np.zeros((ROWS, 2), bool)
    frames, actions = BATCH.observation[:, :2], BATCH.action[:, :2]
    anew = model.observe_sequence(frames, actions, none, key(3))
    after = [model.observe_sequence(frames, actions, none, key(3), state) for state in (observed(model), last(anew))]
    require(
        differ(after[0], after[1]),
        "observe_sequence must go on from the state that it is given; another one changes nothing.",
    )
    _require_signature(after[0], signature(anew), "a sequence that goes on from a state")


def check_imagining_depends_on_action_and_seed_alone(config: ModelConfig) -> None:
    """Check that the same action and seed give the same future, and other actions another one."""
    model, state = shared_model(config), last(followed(shared_model(config)))
    once = model.imagine(state, ACTION, 1.0, key(2))
    require_same(once, model.imagine(state, ACTION, 1.0, key(2)), "futures of the same action and seed")
    other = model.imagine(state, ACTION[::-1].copy(), 1.0, key(2))
    require(differ(once, other), "imagine must depend on the action; it does not.")


def check_at_temperature_0_the_future_is_one(config: ModelConfig) -> None:
    """Check that at temperature 0 everything that can be read of a future is the same for every seed."""
    model, state = shared_model(config), last(followed(shared_model(config)))
    one, other = (seen(model, model.readable(model.imagine(state, ACTION, 0.0, key(number)))) for number in (2, 3))
    require_same(one, other, "futures at temperature 0")


def _learned(config: ModelConfig) -> Any:
    """Return a model after some updates; without any, it may draw the same in any number of calls."""
    model = renewed_learner(config)
    for update in range(10):
        model.fit(BATCH, key(update))
    return model


def check_calls_change_samples_alone(config: ModelConfig) -> None:
    """Check that another number of calls draws other samples and the same future at temperature 0."""
    state = last(followed(renewed_learner(config)))
    model = _learned(config)  # the same object
    futures = []
    for calls in (1, 3, 1):
        model.set_calls(calls)
        futures.append([seen(model, model.imagine(state, ACTION, temperature, key(2))) for temperature in (1.0, 0.0)])
    model.set_calls(model.spec.calls)
    require_same(futures[0], futures[2], "futures of as many calls")
    require_same(futures[0][1], futures[1][1], "futures at temperature 0 of 1 and of 3 calls")
    require(differ(futures[0][0], futures[1][0]), "3 calls must draw other samples than 1; they do not.")


def check_a_drawing_ends_in_the_frame_that_is_imagined(config: ModelConfig) -> None:
    """Check that the last stage of a drawing is the frame of `imagine`, and that shares add up to 1."""
    state = last(followed(renewed_learner(config)))
    model = _learned(config)  # the same object
    for calls, temperature, stages in ((1, 1.0, 1), (3, 1.0, 3), (3, 0.0, 1)):
        model.set_calls(calls)
        frames, shares, motions = model.draw(state, ACTION, temperature, key(2))
        count = frames.shape[1]
        require(count == stages, f"{calls} calls at temperature {temperature} make {stages} frames. Received {count}.")
        imagined = model.frame(model.imagine(state, ACTION, temperature, key(2)))
        require_same(frames[:, -1], imagined, "the last frame of draw and the frame of imagine")
        whole = bool(np.allclose(np.sum(shares, -1), 1.0, atol=1e-4))
        require(whole, "the shares of all pictures in a pixel must add up to 1.")
        expected = (shares.shape[-1], 2)
        require(tuple(motions.shape[1:]) == expected, f"motions must be (B, {expected[0]}, 2). Received {motions}.")
    model.set_calls(model.spec.calls)


def check_what_is_readable_suffices_to_read(config: ModelConfig) -> None:
    """Check that features, frame, reward and continuation need no more of a state than `readable` keeps."""
    model = shared_model(config)
    state = model.imagine(observed(model), ACTION, 1.0, key(2))
    kept = seen(model, model.readable(state))
    require_same(seen(model, state), kept, "what is read of a state, and of what readable keeps of it,")


def check_fitting_repeats_bit_for_bit_and_survives_a_checkpoint(config: ModelConfig) -> None:
    """Check that 2 updates, a checkpoint on disk, another model that loads it, and 2 more updates are the same as 4."""
    straight, resumed = renewed_learner(config, 1), make_model(config, 2)
    old = leaves(straight.save())
    for number in range(2):
        metrics, states = straight.fit(BATCH, key(number))
    _require_metrics(metrics)
    _require_leading(states)
    _require_signature(last(states), signature(straight.initial(ROWS)), "a posterior state of fit")
    require(differ(old, leaves(straight.save())), "fit must change what is saved; it does not.")
    with TemporaryDirectory() as folder:
        checkpoints = Checkpoints(folder)
        checkpoints.write(7, straight.save())
        resumed.load(checkpoints.read()[1])
    require_same_tree(straight.save(), resumed.save(), "what was saved, and what was loaded,")
    for number in (2, 3):
        one, other = (model.fit(BATCH, key(number)) for model in (straight, resumed))
        require_same(one, other, "updates of a model, and of one that was loaded from its checkpoint,")
    require_same_tree(straight.save(), resumed.save(), "what both saved after that")


def check_an_update_that_is_not_finite_changes_nothing(config: ModelConfig) -> None:
    """Check that fit does not change a model whose weights are NaN, and reports it."""
    model = renewed_learner(config)
    model.load(poisoned(model.save()))
    old = model.save()
    metrics, _ = model.fit(BATCH, key(0))
    require(metrics.get("model/finite") == 0, "the metric model/finite must be 0 where weights are NaN.")
    require_same_tree(model.save(), old, "what is saved before and after an update that is not finite")


def check_a_checkpoint_of_other_actions_is_refused(config: ModelConfig) -> None:
    """Check that weights of another shape raise CheckpointError, whose text has the shapes."""
    try:
        make_model(config).load(make_model(config, actions=ACTIONS + 2).save())
    except CheckpointError as error:
        require("shape" in str(error), f"the CheckpointError must name the shapes. Received: {error}")
    else:
        raise ConformanceError("load must raise CheckpointError for weights of another number of actions.")


def _require_signature(found: Any, wanted: list[Any], what: str) -> None:
    found = signature(found)
    require(found == wanted, f"{what} must have the shapes and types {wanted}. Received {found}.")


def _require_leading(states: Any) -> None:
    found = {tuple(x.shape[:2]) for x in tf.nest.flatten(states)}
    require(found == {(ROWS, STEPS)}, f"states in time must have the leading axes {(ROWS, STEPS)}. Received {found}.")


def _require_metrics(metrics: dict[str, Any]) -> None:
    sound = all(label.startswith("model/") and np.isfinite(value) for label, value in metrics.items())
    require(sound, f"metrics must be named model/... and be finite. Received {metrics}.")
    require(metrics.get("model/finite") == 1, "the metric model/finite must be 1 after a sound update.")


CHECKS = (
    check_shapes_types_and_ranges,
    check_a_sequence_gives_the_states_of_its_steps,
    check_nothing_crosses_the_border_of_episodes,
    check_a_sequence_can_go_on_from_a_state,
    check_imagining_depends_on_action_and_seed_alone,
    check_at_temperature_0_the_future_is_one,
    check_what_is_readable_suffices_to_read,
    check_fitting_repeats_bit_for_bit_and_survives_a_checkpoint,
    check_an_update_that_is_not_finite_changes_nothing,
    check_a_checkpoint_of_other_actions_is_refused,
)
"""Properties of every world model, in addition to those of a representation."""
CHECKS_OF_SAMPLES = (check_calls_change_samples_alone, check_a_drawing_ends_in_the_frame_that_is_imagined)
"""The checks of a `SampledModel`."""
