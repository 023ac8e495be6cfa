"""The loop of model-based learning: collect experience, fit the model, improve the policy in imagination.

SimPLe and Dreamer are this loop with different numbers (`ModelBasedConfig`). A turn of the loop may take a millisecond
or a day; `iterate` does one small piece of it, after which everything can be saved. It neither logs nor opens files:
`training/run.py` does that around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import PolicyOutput
from worldmodels.acting.build import Parts
from worldmodels.acting.collected_steps import CollectedSteps
from worldmodels.agents.api import Experience
from worldmodels.config.training_config import ModelBasedConfig
from worldmodels.core.files.tree import check_like, load_counters, load_parts
from worldmodels.core.seeding import fold
from worldmodels.core.types import Batch, Step
from worldmodels.replay import Replay
from worldmodels.telemetry.logger import Timer
from worldmodels.training.loops.imagination_weight import ImaginationWeight
from worldmodels.training.loops.loop import STEPS_PER_TICK, Tick, finite
from worldmodels.training.loops.newest_steps import NewestSteps
from worldmodels.training.loops.plan import PHASES, Position, TrainingPlan
from worldmodels.training.loops.starts import ImaginationStarts
from worldmodels.training.loops.transitions import Batches
from worldmodels.training.sources import copy_replay, load_pretrained

COUNTERS = ("step", "updates", "policy_updates", "real_updates")


class ModelBasedLoop:
    """A `Loop` (see `training/loops/loop.py`) over a world model, an agent and a replay store.

    Args:
        demonstrations: steps of all environments that a new run starts with.

    Attributes:
        updates: model updates done.
        policy_updates: policy updates done in imagination.
        real_updates: policy updates done on real experience.
    """

    def __init__(
        self,
        parts: Parts,
        config: ModelBasedConfig,
        collected: CollectedSteps,
        replay: Replay,
        demonstrations: Sequence[Step] = (),
    ):
        self._config, streams = config, parts.streams
        self.parts, self._replay, self._demonstrations = parts, replay, demonstrations
        self._collected, self.metrics, self.timer = collected, collected.metrics, Timer()
        self._plan = TrainingPlan(config, collected.num_envs)
        self._position = self._plan.start(0)
        self._newest: NewestSteps | None = None
        if kept := parts.config.agent.recent_steps:
            self._newest = NewestSteps(kept, streams.generator("recent"), config.batch, config.length)
        self._starts = ImaginationStarts(parts.world_model, replay, config.starts, streams)
        self._batches = Batches(self._draw, streams.generator("replay"))
        self._weight: ImaginationWeight | None = None
        if config.imagination_weight != "constant":
            key, settings = streams.key("imagination weight"), parts.config.evaluation
            by_ends = config.imagination_weight == "rewards_and_ends"
            self._weight = ImaginationWeight(parts.world_model, replay, settings, key, by_ends)
        self._keys = {name: streams.key(name) for name in ("fit", "improve", "update")}
        self.step = self.updates = self.policy_updates = self.real_updates = 0

    @property
    def finished(self) -> bool:
        return self._plan.ends_at(self._position)

    @property
    def at_turn_start(self) -> bool:
        return self._position == self._plan.start(self._position.turn, self._position.extra)

    @property
    def at_rest(self) -> bool:
        return self.at_turn_start or (self._position.phase == "collect" and not self._collected.holds_partial_rollout)

    @property
    def frames_per_update(self) -> int:
        return self._config.batch * self._config.length

    @property
    def progress(self) -> str:
        return self._plan.describe(self._position)

    def begin(self) -> None:
        """Take over the model or the experience of another run, and demonstrations, where the configuration says so."""
        self._replay.clear()
        if self._config.pretrained:
            load_pretrained(self.parts.world_model, self._config.pretrained)
        if self._config.initial_replay:
            copy_replay(self._config.initial_replay, self._replay)
        for step in self._demonstrations:
            self._append(step, PolicyOutput(step.action))

    def iterate(self) -> Tick:
        phase = self._position.phase
        done = {"collect": self._collect, "fit": self._fit, "improve": self._improve}[phase]()
        self._position = self._plan.after(self._position, done, prolong=self._lacks_events())
        if phase == "collect" != self._position.phase:
            self._collected.expect(self._plan.expected(self._position))
            self._weigh_imagination()
        if self.at_turn_start:
            self._starts.end_turn()
        return Tick(phase, done)

    def counters(self) -> dict[str, int]:
        return {"model/updates": self.updates, "policy/updates": self.policy_updates + self.real_updates}

    def remaining(self) -> dict[str, int]:
        return self._plan.remaining(self._position)

    def save(self) -> dict[str, Any]:
        return {
            "counters": {name: getattr(self, name) for name in COUNTERS},
            "position": self._position._asdict(),
            "generator": self._batches.save(),
            "starts": self._starts.save(improving=self._position.phase == "improve"),
            **{name: part.save() for name, part in self._saveables().items()},
        }

    def load(self, tree: dict[str, Any]) -> None:
        load_counters(self, tree["counters"], COUNTERS)
        check_like(tree["position"], self._position._asdict(), "position")
        self._position = Position(**tree["position"])
        if self._position.phase not in PHASES:
            raise ValueError(f"'position/phase' must be one of {', '.join(PHASES)}; it is {self._position.phase}")
        self._batches.load(tree["generator"])
        self._starts.load(tree["starts"])
        load_parts(self._saveables(), tree)

    def _saveables(self) -> dict[str, Any]:
        weight = {"imagination_weight": self._weight} if self._weight else {}
        newest = {"recent": self._newest} if self._newest else {}
        return weight | {
            "model": self.parts.model,
            "agent": self.parts.agent,
            "replay": self._replay,
            "collector": self._collected,
            "metrics": self.metrics,
            **newest,
        }

    def _collect(self) -> int:
        """Collect some steps of each environment, and return how many; the agent may learn from them at once."""
        at_random = self._position.turn == 0 and self._config.prefill_policy != "agent"
        steps = min(STEPS_PER_TICK, self._position.left)
        if self._config.real_rollout and not at_random:
            steps = min(steps, self._collected.steps_until_full)
        with self.timer("collect"):
            for step, output in self._collected.steps(steps, at_random):
                self._append(step, output)
                self.step += len(step.reward)
        self._update_from_rollouts()
        return steps

    def _append(self, step: Step, output: PolicyOutput) -> None:
        self._replay.append(step)
        if self._newest:
            self._newest.add(step, output)

    def _weigh_imagination(self) -> None:
        """Measure the model on the steps just collected, unless it has not learned anything yet."""
        if self._weight and (self.updates or self._config.pretrained):
            turn, _, _, extra = self._position
            with self.timer("weigh"):
                self.metrics.add(self._weight.measure(self._plan.amount(turn, "collect", extra), self.step))

    def _lacks_events(self) -> bool:
        """Return whether this is a prefill that has not found its events yet."""
        wanted = self._config.prefill_events
        # At other times a batch may be being drawn, and nobody else may ask the store for its events.
        is_prefill = (self._position.turn, self._position.phase) == (0, "collect")
        return wanted > 0 and is_prefill and self._replay.num_events < wanted

    def _update_from_rollouts(self) -> None:
        if (rollouts := self._collected.take_rollouts()) is None:
            return
        with self.timer("update"):
            seed = tf.constant(fold(self._keys["update"], self.real_updates))
            metrics = self.parts.agent.update_from_rollouts(rollouts, seed)
            self.real_updates += 1
            values = finite(metrics, f"policy update {self.real_updates} on real experience", self.step)
            self.metrics.add({name.replace("policy/", "policy/real_", 1): value for name, value in values.items()})

    def _draw(self, generator: np.random.Generator) -> tuple[Batch, np.ndarray | None]:
        """Draw a batch for the model, and the weights of its windows where some are drawn around events."""
        config = self._config
        if config.event_share:
            return self._replay.sample_around_events(config.batch, config.length, generator, config.event_share)
        return self._replay.sample(config.batch, config.length, generator, "training"), None

    def _fit(self) -> int:
        with self.timer("sample"):
            batch, weights = self._batches.take(another=self._position.left > 1)
        with self.timer("fit"):
            seed = tf.constant(fold(self._keys["fit"], self.updates))
            weighted = () if weights is None else (tf.constant(weights),)
            metrics, states = self.parts.world_model.fit(batch.map(tf.constant), seed, *weighted)
            self.updates += 1
            self.metrics.add(finite(metrics, f"model update {self.updates}", self.step))
        self._starts.after_fit(states, batch, weights)
        return 1

    def _improve(self) -> int:
        if skipped := self._not_worth():
            return skipped
        with self.timer("starts"):
            starts = self._starts.draw(self.policy_updates)
        with self.timer("improve"):
            seed = tf.constant(fold(self._keys["improve"], self.policy_updates))
            recent = self._newest.draw() if self._newest else None
            experience = Experience(self._starts.replayed, recent)
            metrics = self.parts.agent.update_from_imagination(self.parts.world_model, starts, seed, experience)
            self.policy_updates += 1
            self.metrics.add(finite(metrics, f"policy update {self.policy_updates} in imagination", self.step))
        return 1

    def _not_worth(self) -> int:
        """Return the number of updates by which the weight of imagination shortens a phase that begins."""
        amount = self._plan.amount(self._position.turn, "improve")
        if self._weight is None or self._position.left < amount:
            return 0
        return amount - round(self._weight.value * amount)
