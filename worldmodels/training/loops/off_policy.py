"""The loop of off-policy learning: collect a few steps, learn from single steps of any age, repeat."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from worldmodels.acting.build import Parts
from worldmodels.acting.collected_steps import CollectedSteps
from worldmodels.config.training_config import OffPolicyConfig
from worldmodels.core.files.tree import load_counters, load_parts
from worldmodels.core.seeding import fold, generator_state, restore_generator
from worldmodels.replay import Replay
from worldmodels.telemetry.logger import Timer
from worldmodels.training.loops.loop import STEPS_PER_TICK, Tick, finite
from worldmodels.training.loops.transitions import TransitionSampler, updates_per_call


class OffPolicyLoop:
    """A `Loop` (see `training/loops/loop.py`) over an agent that learns from a replay store, without a world model.

    Its position is a matter of arithmetic: how many updates are owed follows from the steps that were done.

    Attributes:
        updates: policy updates done.
    """

    progress = ""

    def __init__(self, parts: Parts, config: OffPolicyConfig, collected: CollectedSteps, replay: Replay):
        self.parts, self._config, self._num_envs, self._replay = parts, config, collected.num_envs, replay
        self._collected, self.metrics, self.timer = collected, collected.metrics, Timer()
        self._updates_per_call = updates_per_call(config.updates, config.batch, parts.model.spec)
        self._sampler = TransitionSampler(parts.model, replay, self._updates_per_call, config.batch)
        self._generator = parts.streams.generator("replay")
        self._keys = {name: parts.streams.key(name) for name in ("update", "observe")}
        self.step = self.updates = 0

    @property
    def finished(self) -> bool:
        return self.step >= self._config.steps and self.at_rest

    @property
    def at_rest(self) -> bool:
        return self.updates >= self._config.updates_owed(self.step, self._num_envs)

    @property
    def at_turn_start(self) -> bool:
        return self.at_rest

    @property
    def frames_per_update(self) -> int:
        return self._config.batch

    def begin(self) -> None:
        """Forget what a run that was killed before its first checkpoint had collected."""
        self._replay.clear()

    def iterate(self) -> Tick:
        """Do some of the updates that are owed, or else collect some steps of each environment."""
        return self._collect() if self.at_rest else self._update()

    def counters(self) -> dict[str, int]:
        return {"policy/updates": self.updates}

    def remaining(self) -> dict[str, int]:
        collect = max(0, -(-(self._config.steps - self.step) // self._num_envs))
        last = self.step + collect * self._num_envs
        return {"collect": collect, "update": self._config.updates_owed(last, self._num_envs) - self.updates}

    def save(self) -> dict[str, Any]:
        return {
            "counters": {"step": self.step, "updates": self.updates},
            "generator": generator_state(self._generator),
            **{name: part.save() for name, part in self._saveables().items()},
        }

    def load(self, tree: dict[str, Any]) -> None:
        load_counters(self, tree["counters"], ("step", "updates"))
        self._generator = restore_generator(tree["generator"])
        load_parts(self._saveables(), tree)

    def _saveables(self) -> dict[str, Any]:
        return {
            "model": self.parts.model,
            "agent": self.parts.agent,
            "replay": self._replay,
            "collector": self._collected,
            "metrics": self.metrics,
        }

    def _collect(self) -> Tick:
        config = self._config
        piece = config.steps_per_burst(self._num_envs)
        left = piece - self.step % piece
        at_random = self.step < config.prefill
        if at_random:
            left = min(left, config.prefill - self.step)
        steps = min(STEPS_PER_TICK, -(-left // self._num_envs))
        with self.timer("collect"):
            for step, _ in self._collected.steps(steps, at_random):
                self._replay.append(step)
                self.step += len(step.reward)
        if not self.at_rest:
            self._expect(1)
        return Tick("collect", steps)

    def _update(self) -> Tick:
        with self.timer("sample"):
            transitions = self._sampler.draw(self._generator, fold(self._keys["observe"], self.updates))
        with self.timer("update"):
            seed = tf.constant(fold(self._keys["update"], self.updates))
            metrics = self.parts.agent.update_from_transitions(transitions, seed)
            self.updates += self._updates_per_call
            self.metrics.add(finite(metrics, f"policy updates up to {self.updates}", self.step))
        if self.at_rest:
            self._expect(2)
        return Tick("update", self._updates_per_call)

    def _expect(self, ahead: int) -> None:
        """Let `ahead` bursts be under way, if the run has as many left.

        The first is collected while the agent learns, the second with the weights that it has then.
        """
        config, piece = self._config, self._config.steps_per_burst(self._num_envs)
        if config.prefill <= self.step and self.step + (ahead - 1) * piece < config.steps:
            self._collected.expect(piece // self._num_envs, ahead)
