"""What is gathered of an agent's life, and what a look at the waiting observation leaves unchanged."""

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import ModelActor, PolicyOutput
from worldmodels.acting.collected_steps import RolloutBuffer
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Step
from worldmodels.models.config import FrameStackConfig
from worldmodels.models.frame_stack import FrameStack

SHAPE = (2, 2, 1)


class Counter:
    """Remembers how many steps it acted, and says so."""

    def initial(self, batch):
        return tf.zeros((batch,))

    def act(self, features, state, temperature, seed):
        action = tf.random.stateless_uniform(tf.shape(state), seed, 0, 100, tf.int32)
        return action, state + 1.0, {"value": state}


def an_actor():
    model = FrameStack(FrameStackConfig(frames=2), ObservationSpec.of(*SHAPE), ActionSpec(100), np.zeros(2, np.int32))
    return ModelActor(model, Counter(), 3, np.array([1, 2], np.int32))


def frames(value):
    return np.full((3, *SHAPE), value, np.uint8)


def a_step(t, action):
    none = np.zeros(3, bool)
    return Step(frames(t), np.full(3, t, np.float32), none | (t == 0), none, none, action)


def test_dictionaries_and_boxes_come_back_from_a_checkpoint():
    buffers, none = (RolloutBuffer(), RolloutBuffer()), np.zeros(3, bool)

    def seen(value):
        features = {"eye": tf.fill((3, 1, 1, 1), tf.constant(value, tf.uint8)), "touch": tf.fill((3, 2), float(value))}
        return PolicyOutput(np.full((3, 2), value / 4, np.float32), features, {"value": tf.fill((3,), float(value))})

    def add(buffer, value):
        output = seen(value)
        buffer.add(Step(None, np.full(3, value, np.float32), none, none, none, output.action), output)

    add(buffers[0], 1)
    buffers[1].load(buffers[0].save(), seen(9))
    experiences = []
    for buffer in buffers:
        add(buffer, 2)
        experiences.append(
            buffer.finish(Step(None, np.zeros(3, np.float32), none, none, none, seen(3).action), seen(3))
        )
    one, other = experiences
    assert one.actions.dtype == tf.float32 and one.actions[:, 0].numpy().tolist() == [[0.25] * 2, [0.5] * 2, [0.75] * 2]
    assert one.features["eye"].numpy().ravel().tolist() == [1] * 3 + [2] * 3 + [3] * 3
    assert one.features["touch"].shape == (3, 3, 2)
    tf.nest.map_structure(np.testing.assert_array_equal, one, other)


def test_a_peek_is_what_acting_then_does_and_changes_nothing():
    actor, none = an_actor(), np.zeros(3, bool)
    actor.act(frames(1), ~none)
    before = actor.save()
    peeked = actor.peek(frames(2), none)
    np.testing.assert_equal(actor.save(), before)
    acted = actor.act(frames(2), none)
    np.testing.assert_array_equal(acted.action, peeked.action)
    np.testing.assert_array_equal(acted.features, peeked.features)
    assert acted.features[0, 0, 0].numpy().tolist() == [1, 2]
    assert acted.memory.numpy().tolist() == acted.extras["value"].numpy().tolist() == [1, 1, 1]


def filled(count):
    actor, buffer, steps = an_actor(), RolloutBuffer(), []
    for t in range(count):
        output = actor.act(frames(t), np.full(3, t == 0))
        steps.append(a_step(t, output.action))
        buffer.add(steps[-1], output)
    return actor, buffer, steps


def test_an_experience_holds_every_step_and_one_more():
    actor, buffer, steps = filled(4)
    output = actor.peek(frames(4), np.zeros(3, bool))
    assert len(buffer) == 4
    experience = buffer.finish(a_step(4, output.action), output)
    assert len(buffer) == 0
    assert experience.features.shape == (5, 3, 2, 2, 2) and experience.features.dtype == tf.uint8
    assert experience.features[:, 0, 0, 0].numpy().tolist() == [[0, 0], [0, 1], [1, 2], [2, 3], [3, 4]]
    assert experience.rewards[:, 1].numpy().tolist() == [0, 1, 2, 3, 4]
    assert experience.is_first[:, 2].numpy().tolist() == [True, False, False, False, False]
    assert experience.continuations.numpy().min() == 1
    assert experience.extras["value"][:, 0].numpy().tolist() == [0, 1, 2, 3, 4]
    assert experience.memory.numpy().tolist() == [0, 0, 0]
    np.testing.assert_array_equal(experience.actions[:4], [step.action for step in steps])


def test_a_part_of_an_experience_is_saved_and_goes_on():
    actor, buffer, _ = filled(3)
    output = actor.peek(frames(3), np.zeros(3, bool))
    other = RolloutBuffer()
    other.load(buffer.save(), output)
    assert len(other) == 3
    one, two = (each.finish(a_step(3, output.action), output) for each in (buffer, other))
    for ours, theirs in zip(tf.nest.flatten(one), tf.nest.flatten(two), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_where_the_world_began_anew_the_step_before_is_the_last():
    actor, buffer, _ = filled(2)
    buffer.truncate()
    experience = buffer.finish(a_step(2, np.zeros(3, np.int32)), actor.peek(frames(2), np.ones(3, bool)))
    assert experience.is_last[:, 0].numpy().tolist() == [False, True, False]
    RolloutBuffer().truncate()
