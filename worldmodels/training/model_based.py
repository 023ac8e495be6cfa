"""The one loop of model-based learning: collect experience, fit the model, improve the policy in imagination.

SimPLe and Dreamer are this loop with different numbers (`LoopConfig`). It neither logs nor opens files:
`training/run.py` does that around it.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from worldmodels.core.errors import NonFiniteError
from worldmodels.core.seeding import fold, generator_state, restore_generator
from worldmodels.core.types import Batch
from worldmodels.envs import VectorEnv
from worldmodels.replay import Replay
from worldmodels.runtime.actor import ModelActor, RandomActor
from worldmodels.runtime.build import Parts
from worldmodels.runtime.collect import Collector, EpisodeTracker
from worldmodels.runtime.config import LoopConfig
from worldmodels.telemetry.logger import Means
from worldmodels.telemetry.timers import Timer


class ModelBasedLoop:
    """Everything that changes while learning; `iterate` is one turn of the loop.

    Attributes:
        step: real environment steps done.
        updates: model updates done.
        metrics: means since they were last taken.
        timer: where wall time goes; nothing that learns ever sees it.
    """

    def __init__(self, parts: Parts, config: LoopConfig, env: VectorEnv, replay: Replay):
        self._config, streams = config, parts.streams
        self.parts, self._replay = parts, replay
        self._collector = Collector(env, streams.integer("env"))
        self._episodes = EpisodeTracker(env.num_envs)
        self._random = RandomActor(parts.model.spec.num_actions, streams.generator("prefill"))
        self._actor = ModelActor(parts.model, parts.agent, env.num_envs, streams.key("act"))
        self._sampler = streams.generator("replay")
        self._fit_key, self._improve_key = streams.key("fit"), streams.key("improve")
        self.step = self.updates = self.policy_updates = 0
        self.metrics = Means()
        self.timer = Timer()

    @property
    def finished(self) -> bool:
        return self.step >= self._config.steps

    @property
    def frames_per_update(self) -> int:
        return self._config.batch * self._config.length

    def iterate(self) -> None:
        """Collect once, then fit and improve; before the prefill is done, only collect, at random.

        Raises:
            NonFiniteError: a loss or gradient is not a number; the update was not applied.
        """
        prefilling = self.step < self._config.prefill
        with self.timer("collect"):
            self._collect(self._random if prefilling else self._actor)
        if self.step < self._config.prefill:
            return
        for _ in range(self._config.pretrain if prefilling else 0):
            self._fit()
        for _ in range(self._config.fit):
            starts = self._fit()
        for _ in range(self._config.improve):
            self._improve(*starts)

    def save(self) -> dict[str, Any]:
        return {
            "counters": {"step": self.step, "updates": self.updates, "policy_updates": self.policy_updates},
            "sampler": generator_state(self._sampler),
            **{name: part.save() for name, part in self._saveables().items()},
        }

    def load(self, tree: dict[str, Any]) -> None:
        for name, value in tree["counters"].items():
            setattr(self, name, value)
        self._sampler = restore_generator(tree["sampler"])
        for name, part in self._saveables().items():
            part.load(tree[name])

    def _saveables(self) -> dict[str, Any]:
        return {
            "model": self.parts.model,
            "agent": self.parts.agent,
            "replay": self._replay,
            "collector": self._collector,
            "episodes": self._episodes,
            "random_actor": self._random,
            "actor": self._actor,
            "metrics": self.metrics,
        }

    def _collect(self, actor: RandomActor | ModelActor) -> None:
        for step in self._collector.collect(actor, self._config.collect):
            self._replay.append(step)
            self.step += len(step.reward)
            for episode in self._episodes.add(step):
                self.metrics.add({f"episode/{name}": value for name, value in episode.items()})

    def _fit(self) -> tuple[Any, tf.Tensor]:
        """One model update; gives states along the batch, and whether the world went on after them."""
        with self.timer("sample"):
            batch = self._replay.sample(self._config.batch, self._config.length, self._sampler)
        with self.timer("fit"):
            seed = tf.constant(fold(self._fit_key, self.updates))
            metrics, states = self.parts.world_model.fit(Batch(*map(tf.constant, batch)), seed)
            self.updates += 1
            self._add_finite(metrics, "model")
        return states, tf.constant(~batch.is_terminal, tf.float32)

    def _improve(self, states: Any, continuations: tf.Tensor) -> None:
        seed = tf.constant(fold(self._improve_key, self.policy_updates))
        with self.timer("improve"):
            metrics = self.parts.agent.improve(self.parts.world_model, states, continuations, seed)
            self.policy_updates += 1
            self._add_finite(metrics, "policy")

    def _add_finite(self, metrics: dict[str, tf.Tensor], group: str) -> None:
        values = {name: float(value) for name, value in metrics.items()}
        if values.pop(f"{group}/finite", 1.0) < 1.0:
            raise NonFiniteError(
                f"The {group}'s loss or gradient is not finite at update {self.updates} ({self.step} environment "
                "steps): the update was not applied. A smaller learning rate or gradient clip usually helps; the last "
                "checkpoint is from before. Received: "
                + ", ".join(f"{name} {value:.4g}" for name, value in values.items())
            )
        self.metrics.add(values)
