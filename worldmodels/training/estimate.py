"""The time, memory and disk that a new run will take on this machine, estimated from one update of each kind.

The weights are put back afterwards, so the run begins as if nothing had been measured; the graphs that were built stay.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import ModelActor, PolicyOutput
from worldmodels.acting.build import Parts
from worldmodels.agents.api import Experience, Recent, Replayed, Rollouts
from worldmodels.config.run_config import RunConfig
from worldmodels.config.training_config import ModelBasedConfig, ModelFreeConfig, OffPolicyConfig
from worldmodels.core.files.tree import flatten
from worldmodels.core.output import gigabytes
from worldmodels.core.types import Batch
from worldmodels.imagination.starts import StartStates, states_after
from worldmodels.models.devices import wait_for_gpu
from worldmodels.replay.stream import ASSUMED_COMPRESSION
from worldmodels.training.loops.plan import TrainingPlan
from worldmodels.training.loops.starts import choose_along
from worldmodels.training.loops.transitions import blank_transitions, updates_per_call

BELIEVED = 20.0
"""Seconds from which on a first call, which also builds its graph, is believed; a shorter one is repeated."""
REPEATS = 3
SEED = np.array([0, 1], np.int32)

Seconds = np.ndarray
"""Wall time, and the time of all processors together: float64 (2,)."""


class RunEstimate(NamedTuple):
    """The time, memory and disk that a run will take, evaluations not counted."""

    seconds: float
    memory_bytes: float
    """Bytes of memory of the whole process."""
    disk_bytes: float
    """Bytes of disk; experience is assumed to be compressed as frames of games can be."""
    processor_seconds: float
    """Seconds of all processors together, which whatever else runs on the machine lengthens much less."""
    update_seconds: Mapping[str, float] = MappingProxyType({})
    """Seconds of one update of the model (`fit`) and of the policy (`improve`), where the run does any."""
    building_seconds: float = 0.0
    """Seconds that the graphs of the updates took to be built."""

    @property
    def text(self) -> str:
        """The estimate in one sentence."""
        return (
            f"Estimated for this machine: {in_words(self.seconds)} without evaluations, "
            f"{gigabytes(self.memory_bytes)} of memory, about {gigabytes(self.disk_bytes)} of disk"
        )


def in_words(seconds: float) -> str:
    """Return a time as "40 s", "8 min", "3.0 h" or "9.1 days"."""
    for limit, unit, name in ((100, 1, "s"), (100 * 60, 60, "min"), (48 * 3600, 3600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.1f} {name}" if name == "h" else f"{seconds / unit:.0f} {name}"
    return f"{seconds / 86400:.1f} days"


def estimate_run(parts: Parts, num_envs: int, initial_steps: int) -> RunEstimate:
    """Estimate a run that starts with so many steps of experience; the parts are left as they were."""
    saved = {"model": parts.model.save(), "agent": parts.agent.save()}
    rehearsal = _Rehearsal(parts, num_envs)
    try:
        seconds, processor_seconds = rehearsal.whole_run()
    finally:
        parts.model.load(saved["model"])
        parts.agent.load(saved["agent"])
    config = parts.config
    checkpoint = sum(array.nbytes for array in flatten(saved)[1].values())
    frame = parts.model.spec.observation.bytes
    replay = _replay_steps(config, initial_steps) * frame
    return RunEstimate(
        seconds,
        _peak_memory() + min(replay, 1e6 * config.replay.memory_megabytes),
        replay / ASSUMED_COMPRESSION + checkpoint * (config.schedule.keep_checkpoints + 1),
        processor_seconds,
        rehearsal.update_seconds,
        rehearsal.building_seconds,
    )


class _Rehearsal:
    """Does each kind of work of a run on blank experience, and takes the time."""

    def __init__(self, parts: Parts, num_envs: int) -> None:
        self._parts, self._num_envs = parts, num_envs
        self._agent, self._spec = parts.agent, parts.model.spec
        self.update_seconds: dict[str, float] = {}
        self.building_seconds = 0.0

    def whole_run(self) -> Seconds:
        """Return the time of the whole run."""
        training = self._parts.config.training
        actor = ModelActor(self._parts.model, self._agent, self._num_envs, SEED)
        blank = self._spec.observation.zeros(self._num_envs), np.zeros(self._num_envs, bool)
        collect = self._timed(lambda: actor.peek(*blank))
        if isinstance(training, ModelBasedConfig):
            plan = TrainingPlan(training, self._num_envs)
            remaining = plan.remaining(plan.start(0))
            seconds = {"collect": collect, **self._updates_in_imagination(training, remaining)}
            return sum((seconds[phase] * amount for phase, amount in remaining.items() if amount), np.zeros(2))
        if isinstance(training, OffPolicyConfig):
            total = training.updates_owed(training.steps, self._num_envs)
            return training.steps / self._num_envs * collect + total * self._update_from_transitions(training)
        update = self._update_from_rollouts(actor.peek(*blank), training.rollout)
        return training.steps / self._num_envs * (collect + update / training.rollout)

    def _update_from_transitions(self, training: OffPolicyConfig) -> Seconds:
        """Return the time of one policy update."""
        count = updates_per_call(training.updates, training.batch, self._spec)
        transitions = blank_transitions(count, training.batch, self._spec)
        return self._timed_update("improve", lambda: self._agent.update_from_transitions(transitions, SEED), count)

    def _update_from_rollouts(self, output: PolicyOutput, rollout: int) -> Seconds:
        """Return the time of one policy update from rollouts in which each step has the output."""
        false = tf.zeros((rollout + 1, self._num_envs), tf.bool)
        zeros = tf.cast(false, tf.float32)
        actions = tf.constant(self._spec.action.zeros(rollout + 1, self._num_envs))
        features, extras = tf.nest.map_structure(
            lambda x: tf.stack([x] * (rollout + 1)), (output.features, output.extras)
        )
        rollouts = Rollouts(features, actions, zeros, zeros + 1, false, false, extras, output.memory)
        return self._timed_update("improve", lambda: self._agent.update_from_rollouts(rollouts, SEED))

    def _updates_in_imagination(self, training: ModelBasedConfig, remaining: dict[str, int]) -> dict[str, Seconds]:
        """Return the time of one model update and of one policy update, where the run does any."""
        model, seconds = self._parts.world_model, {}
        batch = self._batch(training.batch, training.length)
        weights = (tf.ones((training.batch,)),) if training.event_share else ()
        states: Any = None
        if remaining["fit"]:

            def fit() -> None:
                nonlocal states
                states = model.fit(tf.nest.map_structure(tf.constant, batch), SEED, *weights)[1]

            seconds["fit"] = self._timed_update("fit", fit)
        if remaining["improve"]:
            starts = self._starts(training, states)
            replayed = None if training.starts.context else Replayed.of(states, batch)
            recent = self._recent(training.batch, training.length) if self._parts.config.agent.recent_steps else None
            experience = Experience(replayed, recent)
            seconds["improve"] = self._timed_update(
                "improve", lambda: self._agent.update_from_imagination(model, starts, SEED, experience)
            )
        return seconds

    def _starts(self, training: ModelBasedConfig, states: Any) -> StartStates:
        config = training.starts
        if config.context:
            windows = self._batch(config.rollouts, config.context)
            return StartStates(states_after(self._parts.world_model, windows, SEED), tf.ones((config.rollouts,)))
        return choose_along(states, tf.zeros((training.batch, training.length), tf.bool), config.rollouts, SEED)

    def _recent(self, *shape: int) -> Recent:
        """Return windows of recent steps, all of them alike."""
        model, agent, rows = self._parts.world_model, self._agent.collector, math.prod(shape)
        features, actions = model.features(model.initial(rows)), tf.constant(self._spec.action.zeros(rows))
        extras = agent.act(features, agent.initial(rows), 1.0, SEED)[2]
        features, actions, extras = tf.nest.map_structure(
            lambda x: tf.reshape(x, (*shape, *x.shape[1:])), (features, actions, extras)
        )
        nothing = tf.zeros(shape, tf.bool)
        return Recent(features, actions, extras, tf.zeros(shape), nothing, nothing)

    def _batch(self, *shape: int) -> Batch:
        false = np.zeros(shape, bool)
        observation, action = self._spec.observation.zeros(*shape), self._spec.action.zeros(*shape)
        return Batch(observation, false.astype(np.float32), false, false, false, action)

    def _timed_update(self, phase: str, call: Callable[[], Any], updates: int = 1) -> Seconds:
        """Return the time of one update, of which a call does so many."""
        seconds = self._timed(call) / updates
        self.update_seconds[phase] = float(seconds[0])
        return seconds

    def _timed(self, call: Callable[[], Any]) -> Seconds:
        """Return the time of a call whose graph is built: the least of a few, since other work only adds to it."""
        first = _seconds_of(call)
        if first[0] > BELIEVED and self._parts.config.compile != "xla":  # compiling may be nearly all of the first call
            return first
        again = np.min([_seconds_of(call) for _ in range(REPEATS)], axis=0)
        self.building_seconds += float(first[0] - again[0])
        return again


def _replay_steps(config: RunConfig, initial_steps: int) -> int:
    """Return the steps that the replay store will hold at most; a model-free run has none."""
    training = config.training
    if isinstance(training, ModelFreeConfig):
        return 0
    return min(config.replay.capacity_steps, initial_steps + training.collected_steps)


def _seconds_of(call: Callable[[], Any]) -> Seconds:
    started = np.array([time.perf_counter(), time.process_time()])
    call()
    wait_for_gpu()
    return np.array([time.perf_counter(), time.process_time()]) - started


def _peak_memory() -> float:
    """Return the most bytes of memory that this process has held so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
