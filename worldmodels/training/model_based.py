"""The one loop of model-based learning: collect experience, fit the model, improve the policy in imagination.

SimPLe and Dreamer are this loop with different numbers (`LoopConfig`). A turn of the loop may take a millisecond or a
day; `iterate` does one small piece of it, after which everything can be saved. It neither logs nor opens files:
`training/run.py` does that around it.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from worldmodels.core.errors import CheckpointError
from worldmodels.core.seeding import fold, generator_state, restore_generator
from worldmodels.core.types import Batch
from worldmodels.envs import VectorEnv
from worldmodels.replay import Replay
from worldmodels.runtime.actor import load_nest, save_nest
from worldmodels.runtime.build import Parts
from worldmodels.runtime.config import LoopConfig
from worldmodels.telemetry.logger import Means
from worldmodels.telemetry.timers import Timer
from worldmodels.training.demonstrations import demonstrated
from worldmodels.training.loop import Tick, finite
from worldmodels.training.plan import Plan, Position
from worldmodels.training.reality import PIECE, Reality
from worldmodels.training.sources import copy_recording, load_pretrained
from worldmodels.training.starts import draw_starts


class ModelBasedLoop:
    """A `Loop` (see `training/loop.py`) over a world model, an agent and a replay store.

    Attributes:
        updates: model updates done.
        policy_updates: policy updates done in imagination.
        real_updates: policy updates done on real experience.
    """

    def __init__(self, parts: Parts, config: LoopConfig, env: VectorEnv, replay: Replay):
        self._config, streams = config, parts.streams
        self.parts, self._replay = parts, replay
        self.metrics, self.timer = Means(), Timer()
        self._reality = Reality(parts, env, config.real_rollout, self.metrics)
        self._plan = Plan(config, env.num_envs)
        self._position = self._plan.start(0)
        self._generators = {name: streams.generator(name) for name in ("replay", "starts")}
        self._keys = {name: streams.key(name) for name in ("fit", "improve", "update", "starts")}
        self._fitted: tuple[Any, tf.Tensor] | None = None
        self.step = self.updates = self.policy_updates = self.real_updates = 0

    @property
    def finished(self) -> bool:
        return self._position.turn >= self._plan.turns

    @property
    def at_turn_start(self) -> bool:
        return self._position == self._plan.start(self._position.turn)

    @property
    def at_rest(self) -> bool:
        return self.at_turn_start or (self._position.phase == "collect" and not self._reality.holds_experience)

    @property
    def frames_per_update(self) -> int:
        return self._config.batch * self._config.length

    @property
    def progress(self) -> str:
        return self._plan.describe(self._position)

    def begin(self) -> None:
        """Take over what another run learned or recorded, where the configuration names one."""
        self._replay.clear()
        if self._config.pretrained:
            load_pretrained(self.parts.world_model, self._config.pretrained)
        if self._config.recording:
            copy_recording(self._config.recording, self._replay)
        for step in demonstrated(self._config.demonstrations, self._replay.num_streams):
            self._replay.append(step)

    def iterate(self) -> Tick:
        phase = self._position.phase
        done = {"collect": self._collect, "fit": self._fit, "improve": self._improve}[phase]()
        self._position = self._plan.after(self._position, done)
        if self.at_turn_start:
            self._fitted = None
        return Tick(phase, done)

    def counters(self) -> dict[str, int]:
        return {"model/updates": self.updates, "policy/updates": self.policy_updates + self.real_updates}

    def remaining(self) -> dict[str, int]:
        return self._plan.remaining(self._position)

    def save(self) -> dict[str, Any]:
        names = ("step", "updates", "policy_updates", "real_updates")
        improving = self._position.phase == "improve" and self._fitted is not None
        return {
            "counters": {name: getattr(self, name) for name in names},
            "position": self._position._asdict(),
            "generators": {name: generator_state(generator) for name, generator in self._generators.items()},
            "fitted": save_nest(self._fitted) if improving else None,
            **{name: part.save() for name, part in self._saveables().items()},
        }

    def load(self, tree: dict[str, Any]) -> None:
        if "position" not in tree:
            raise CheckpointError(
                "The checkpoint is from a version whose loop had no phases: that run can be played and evaluated, but "
                "not continued. Train anew in another folder."
            )
        for name, value in tree["counters"].items():
            setattr(self, name, value)
        self._position = Position(**tree["position"])
        self._generators = {name: restore_generator(state) for name, state in tree["generators"].items()}
        for name, part in self._saveables().items():
            part.load(tree[name])
        if tree["fitted"] is not None:
            like = (self.parts.model.initial(1), tf.zeros(()))
            self._fitted = load_nest(like, tree["fitted"])

    def _saveables(self) -> dict[str, Any]:
        return {
            "model": self.parts.model,
            "agent": self.parts.agent,
            "replay": self._replay,
            "reality": self._reality,
            "metrics": self.metrics,
        }

    def _collect(self) -> int:
        """Some steps of each environment; gives how many. The agent may learn from them at once."""
        at_random = self._position.turn == 0 and self._config.prefill_policy == "random"
        steps = min(PIECE, self._position.left)
        if self._config.real_rollout and not at_random:
            steps = min(steps, self._reality.until_full)
        with self.timer("collect"):
            for step in self._reality.play(steps, at_random):
                self._replay.append(step)
                self.step += len(step.reward)
        self._update()
        return steps

    def _update(self) -> None:
        if (experience := self._reality.experience()) is None:
            return
        with self.timer("update"):
            seed = tf.constant(fold(self._keys["update"], self.real_updates))
            metrics = self.parts.agent.update(experience, seed)
            self.real_updates += 1
            values = finite(metrics, f"policy update {self.real_updates} on real experience", self.step)
            self.metrics.add({name.replace("policy/", "policy/real_", 1): value for name, value in values.items()})

    def _fit(self) -> int:
        config = self._config
        with self.timer("sample"):
            batch = self._replay.sample(config.batch, config.length, self._generators["replay"], "training")
        with self.timer("fit"):
            seed = tf.constant(fold(self._keys["fit"], self.updates))
            metrics, states = self.parts.world_model.fit(Batch(*map(tf.constant, batch)), seed)
            self.updates += 1
            self.metrics.add(finite(metrics, f"model update {self.updates}", self.step))
        if not config.starts.context:
            self._fitted = states, tf.constant(~batch.is_terminal, tf.float32)
        return 1

    def _improve(self) -> int:
        starts = self._fitted or self._draw_starts()
        with self.timer("improve"):
            seed = tf.constant(fold(self._keys["improve"], self.policy_updates))
            metrics = self.parts.agent.improve(self.parts.world_model, *starts, seed)
            self.policy_updates += 1
            self.metrics.add(finite(metrics, f"policy update {self.policy_updates} in imagination", self.step))
        return 1

    def _draw_starts(self) -> tuple[Any, tf.Tensor]:
        with self.timer("starts"):
            seed = tf.constant(fold(self._keys["starts"], self.policy_updates))
            generator, config = self._generators["starts"], self._config.starts
            return draw_starts(self.parts.world_model, self._replay, config, generator, seed)
