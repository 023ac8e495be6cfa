"""The loop of model-free learning: collect steps, learn from them, repeat."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from worldmodels.acting.build import Parts
from worldmodels.acting.collected_steps import CollectedSteps
from worldmodels.config.training_config import ModelFreeConfig
from worldmodels.core.files.tree import load_counters, load_parts
from worldmodels.core.seeding import fold
from worldmodels.telemetry.logger import Timer
from worldmodels.training.loops.loop import STEPS_PER_TICK, Tick, finite


class ModelFreeLoop:
    """A `Loop` (see `training/loops/loop.py`) over an agent that learns from real experience alone.

    Attributes:
        updates: policy updates done.
    """

    progress = ""

    def __init__(self, parts: Parts, config: ModelFreeConfig, collected: CollectedSteps):
        self.parts, self._config, self._num_envs = parts, config, collected.num_envs
        self._collected, self.metrics, self.timer = collected, collected.metrics, Timer()
        self._key = parts.streams.key("update")
        self.step = self.updates = 0

    @property
    def finished(self) -> bool:
        return self.step >= self._config.steps and self.at_rest

    @property
    def at_rest(self) -> bool:
        return not self._collected.holds_partial_rollout

    @property
    def at_turn_start(self) -> bool:
        return self.at_rest

    @property
    def frames_per_update(self) -> int:
        return self._config.rollout * self._num_envs

    def begin(self) -> None:
        """Do nothing: there is nothing to prepare."""

    def iterate(self) -> Tick:
        """Collect some steps of each environment, and update when there are enough."""
        steps = min(STEPS_PER_TICK, self._collected.steps_until_full)
        with self.timer("collect"):
            for step, _ in self._collected.steps(steps, at_random=False):
                self.step += len(step.reward)
        if (rollouts := self._collected.take_rollouts()) is not None:
            self._expect(1)
            with self.timer("update"):
                metrics = self.parts.agent.update_from_rollouts(rollouts, tf.constant(fold(self._key, self.updates)))
                self.updates += 1
                self.metrics.add(finite(metrics, f"policy update {self.updates}", self.step))
            self._expect(2)
        return Tick("collect", steps)

    def _expect(self, ahead: int) -> None:
        """Let `ahead` rollouts be under way, if the run has as many left.

        The first is collected while the agent learns, the second with the weights that it has then.
        """
        if self.step + (ahead - 1) * self.frames_per_update < self._config.steps:
            self._collected.expect(self._config.rollout, ahead)

    def counters(self) -> dict[str, int]:
        return {"policy/updates": self.updates}

    def remaining(self) -> dict[str, int]:
        return {"collect": max(0, -(-(self._config.steps - self.step) // self._num_envs))}

    def save(self) -> dict[str, Any]:
        counters = {"step": self.step, "updates": self.updates}
        return {"counters": counters, **{name: part.save() for name, part in self._saveables().items()}}

    def load(self, tree: dict[str, Any]) -> None:
        load_counters(self, tree["counters"], ("step", "updates"))
        load_parts(self._saveables(), tree)

    def _saveables(self) -> dict[str, Any]:
        return {
            "model": self.parts.model,
            "agent": self.parts.agent,
            "collector": self._collected,
            "metrics": self.metrics,
        }
