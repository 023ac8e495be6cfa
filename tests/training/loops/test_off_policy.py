"""Collect, update as often as is owed, repeat; stopped anywhere it goes on to the same numbers."""

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.acting.build import build_parts
from worldmodels.acting.collected_steps import CollectedSteps
from worldmodels.acting.step_source import LocalSource
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.config.training_config import OffPolicyConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import NonFiniteError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.models.api import ModelSpec
from worldmodels.replay import Replay
from worldmodels.training.estimate import estimate_run
from worldmodels.training.loops import transitions
from worldmodels.training.loops.off_policy import OffPolicyLoop
from worldmodels.training.loops.transitions import updates_per_call


@pytest.fixture
def make(tmp_path):
    """Builds loops of one agent over two mazes, so that graphs are traced once."""
    config = load_config(RunConfig, ["debug_sac"], ["env.game=maze", "training.steps=110"])
    env = build_env(config)
    parts = build_parts(config, env)
    fresh = parts.agent.save()

    def loop(folder="replay"):
        parts.agent.load(fresh)
        replay = Replay(tmp_path / folder, 2, env.observation_spec, env.action_spec, config.replay)
        return OffPolicyLoop(parts, config.training, CollectedSteps(LocalSource(parts, build_env(config)), 0), replay)

    return loop


def test_updates_are_owed_for_whole_pieces_from_the_first_on():
    config = OffPolicyConfig(update_after=1000, collect=50, updates=40)
    assert [config.updates_owed(step, 1) for step in (0, 999, 1000, 1049, 1050)] == [0, 0, 40, 40, 80]
    # Whole steps of 16 environments: 64 between two bursts, the first at 1,024.
    assert [config.updates_owed(step, 16) for step in (1008, 1024, 1087, 1088)] == [0, 40, 40, 80]
    assert OffPolicyConfig(update_after=0, collect=10, updates=1).updates_owed(10, 1) == 1


def test_it_collects_pieces_and_does_the_updates_that_are_owed(make):
    loop, ticks = make(), []
    loop.begin()
    while not loop.finished:
        tick = loop.iterate()
        ticks.append((tick.phase, tick.amount, loop.step, loop.updates))
    # Steps of two environments: pieces of 20, updates from 40 on; the random prefill ends at 50, in a piece.
    assert ticks == [
        ("collect", 10, 20, 0),
        ("collect", 10, 40, 0), ("update", 4, 40, 4),
        ("collect", 5, 50, 4), ("collect", 5, 60, 4), ("update", 4, 60, 8),
        ("collect", 10, 80, 8), ("update", 4, 80, 12),
        ("collect", 10, 100, 12), ("update", 4, 100, 16),
        ("collect", 10, 120, 16), ("update", 4, 120, 20),
    ]  # fmt: skip
    assert loop.counters() == {"policy/updates": 20}
    assert loop.metrics.take().keys() >= {"policy/critic_loss", "policy/q", "policy/entropy"}


def test_a_run_stopped_after_any_tick_goes_on_to_the_same_numbers(make, same_tree, tmp_path):
    whole, checkpoints, stops = make(), Checkpoints(tmp_path / "checkpoints", keep=100), 0
    whole.begin()
    while not whole.finished:
        whole.iterate()
        checkpoints.write(stops, whole.save())
        stops += 1
    end = whole.save()
    for stop in range(0, stops, 3):
        resumed = make("replay")
        resumed.load(checkpoints.read(stop)[1])
        while not resumed.finished:
            resumed.iterate()
        same_tree(end, resumed.save(), f"stopped after tick {stop}")


def test_the_work_that_is_left_is_told(make):
    loop = make()
    assert loop.remaining() == {"collect": 55, "update": 16}


def test_what_is_learned_from_is_what_the_agent_would_have_seen(make):
    """Stacks of two frames, the first of an episode twice; uint8 as they were recorded."""
    loop = make()
    loop.begin()
    while loop.step < 40:
        loop.iterate()
    batches = loop._sampler.draw(np.random.default_rng(0), np.zeros(2, np.int32))
    assert batches.features.shape == (4, 8, 64, 64, 6) and batches.features.dtype == tf.uint8
    assert batches.actions.shape == batches.rewards.shape == batches.continuations.shape == (4, 8)
    # The newer frame of what was seen before is the older one of what was seen after.
    np.testing.assert_array_equal(batches.features[..., 3:], batches.next_features[..., :3])


def test_an_update_that_is_not_finite_ends_the_run(make):
    loop = make()
    loop.begin()
    loop.parts.agent.load(
        {
            name: {key: np.full_like(x, np.nan) for key, x in part.items()} if name == "actor" else part
            for name, part in loop.parts.agent.save().items()
        }
    )
    with pytest.raises(NonFiniteError, match=r"Not finite in policy updates up to 4 \(40 environment steps\)"):
        while loop.step < 60:
            loop.iterate()


def test_updates_that_do_not_fit_into_memory_are_done_in_several_calls(monkeypatch):
    def spec(*shape):
        seen = ObservationSpec((("", ArraySpec(shape)),))
        return ModelSpec(seen, ActionSpec(2), seen)

    monkeypatch.setattr(transitions, "MEMORY", 10_000)
    # Vectors of 4 numbers, seen before and after: 32 bytes each, 320 for a batch of ten.
    assert [updates_per_call(updates, 10, spec(4)) for updates in (50, 31, 32, 37)] == [25, 31, 16, 1]
    assert updates_per_call(50, 10, spec(64, 64, 3)) == 1


def test_a_run_is_estimated_and_left_as_it_was(make):
    loop = make()
    before = loop.parts.agent.save()
    found = estimate_run(loop.parts, 2, 0)
    assert found.seconds > 0 and found.disk_bytes > 0
    np.testing.assert_equal(loop.parts.agent.save(), before)
