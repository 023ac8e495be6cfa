"""What is gathered of an agent's life, and what a look at the waiting observation leaves unchanged."""

import numpy as np
import tensorflow as tf

from worldmodels.core.types import Step
from worldmodels.models.frame_stack import FrameStack
from worldmodels.models.frame_stack_config import FrameStackConfig
from worldmodels.runtime.actor import ModelActor, Moment
from worldmodels.runtime.experience import ExperienceRecorder

SHAPE = (2, 2, 1)


class Counter:
    """Remembers how many steps it acted, and says so."""

    def initial(self, batch):
        return tf.zeros((batch,))

    def act(self, features, state, temperature, seed):
        action = tf.random.stateless_uniform(tf.shape(state), seed, 0, 100, tf.int32)
        return action, state + 1.0, {"value": state}


def an_actor():
    model = FrameStack(FrameStackConfig(frames=2), SHAPE, 100, np.zeros(2, np.int32))
    return ModelActor(model, Counter(), 3, np.array([1, 2], np.int32))


def frames(value):
    return np.full((3, *SHAPE), value, np.uint8)


def a_step(t, action):
    none = np.zeros(3, bool)
    return Step(frames(t), np.full(3, t, np.float32), none | (t == 0), none, none, action)


def test_a_peek_is_what_acting_then_does_and_changes_nothing():
    actor, none = an_actor(), np.zeros(3, bool)
    actor.act(frames(1), ~none)
    before = actor.save()
    action, moment = actor.peek(frames(2), none)
    np.testing.assert_equal(actor.save(), before)
    np.testing.assert_array_equal(actor.act(frames(2), none), action)
    np.testing.assert_array_equal(actor.moment.features, moment.features)
    assert moment.features[0, 0, 0].numpy().tolist() == [1, 2]
    assert moment.memory.numpy().tolist() == moment.extras["value"].numpy().tolist() == [1, 1, 1]


def recorded(count):
    actor, recorder, steps = an_actor(), ExperienceRecorder(), []
    for t in range(count):
        action = actor.act(frames(t), np.full(3, t == 0))
        steps.append(a_step(t, action))
        recorder.add(steps[-1], actor.moment)
    return actor, recorder, steps


def test_an_experience_holds_every_moment_and_one_more():
    actor, recorder, steps = recorded(4)
    action, moment = actor.peek(frames(4), np.zeros(3, bool))
    assert len(recorder) == 4
    experience = recorder.finish(a_step(4, action), moment)
    assert len(recorder) == 0
    assert experience.features.shape == (5, 3, 2, 2, 2) and experience.features.dtype == tf.uint8
    assert experience.features[:, 0, 0, 0].numpy().tolist() == [[0, 0], [0, 1], [1, 2], [2, 3], [3, 4]]
    assert experience.rewards[:, 1].numpy().tolist() == [0, 1, 2, 3, 4]
    assert experience.is_first[:, 2].numpy().tolist() == [True, False, False, False, False]
    assert experience.continuations.numpy().min() == 1
    assert experience.extras["value"][:, 0].numpy().tolist() == [0, 1, 2, 3, 4]
    assert experience.memory.numpy().tolist() == [0, 0, 0]
    np.testing.assert_array_equal(experience.actions[:4], [step.action for step in steps])


def test_a_part_of_an_experience_is_saved_and_goes_on():
    actor, recorder, _ = recorded(3)
    action, moment = actor.peek(frames(3), np.zeros(3, bool))
    other = ExperienceRecorder()
    other.load(recorder.save(), Moment(moment.features, moment.extras, moment.memory))
    assert len(other) == 3
    one, two = (each.finish(a_step(3, action), moment) for each in (recorder, other))
    for ours, theirs in zip(tf.nest.flatten(one), tf.nest.flatten(two), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_where_the_world_began_anew_the_moment_before_is_the_last():
    actor, recorder, _ = recorded(2)
    recorder.cut()
    experience = recorder.finish(a_step(2, np.zeros(3, np.int32)), actor.peek(frames(2), np.ones(3, bool))[1])
    assert experience.is_last[:, 0].numpy().tolist() == [False, True, False]
    ExperienceRecorder().cut()
