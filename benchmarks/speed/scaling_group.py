"""Measures the settings of one group, in turn: for `benchmarks/scaling.py`, in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from speed import flops
from speed.experience import ACTIONS, STREAMS
from speed.sizes import UPDATES, Setting, configured
from speed.stopwatch import Product, Stopwatch, machine
from worldmodels.acting.actor import ModelActor
from worldmodels.agents import build_agent
from worldmodels.core.seeding import fold
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.envs import EnvConfig, make_vec
from worldmodels.imagination.starts import choose_starts
from worldmodels.models import build_model
from worldmodels.models.graph import make_deterministic
from worldmodels.models.precision import Precision, building_in

LEAST_ROUNDS, MOST_ROUNDS = 3, 60


class Subject:
    """A model and a policy of some size, and how long their parts take."""

    def __init__(self, setting: Setting, precision: Precision):
        self.setting, self.precision, self.config = setting, precision, configured(setting)
        self.shape = (setting.side, setting.side, 3)
        with building_in(precision):
            self.model = build_model(
                self.config.model, ObservationSpec.of(*self.shape), ActionSpec(ACTIONS), STREAMS.key("model")
            )
            self.agent = build_agent(self.config.agent, self.model.spec, STREAMS.key("agent"))

    @property
    def weights(self) -> int:
        return int(sum(np.prod(variable.shape) for variable in self.model.variables.values()))


class Learner(Subject):
    """Updates of model and policy, on noise: the time of an update does not depend on what is seen."""

    def __init__(self, setting: Setting, precision: Precision):
        super().__init__(setting, precision)
        self._batch = Batch(*map(tf.constant, noise(setting.batch, setting.length, self.shape)))
        self._frames = setting.batch * setting.length
        self._rollouts = min(self.config.training.starts.rollouts, self._frames)
        self._choose = tf.function(choose_starts, autograph=False)
        self.amount = {"batch": self._frames, "side": setting.side**2}.get(setting.axis, self.weights)
        self.stopwatches = {part: Stopwatch() for part in UPDATES}

    def turn(self) -> None:
        number = self.stopwatches["model update"].count
        with self.stopwatches["model update"]():
            metrics, states = self.model.fit(self._batch, fold(STREAMS.key("fit"), number))
            metrics["model/finite"].numpy()
        seed = fold(STREAMS.key("improve"), number)
        goes_on = tf.ones(self._batch.reward.shape)
        starts = self._choose(states, goes_on, self._rollouts, seed)
        with self.stopwatches["policy update"]():
            metrics = self.agent.update_from_imagination(self.model, starts, seed)
            metrics["policy/finite"].numpy()

    def operations(self) -> dict[str, int]:
        model, agent = self.config.model, self.config.agent
        return {
            "model update": self._frames * flops.fit(model, self.shape, ACTIONS),
            "policy update": self._rollouts * flops.improve(model, agent, ACTIONS),
        }


class Player(Subject):
    """Steps of a policy and of the environments that it plays."""

    def __init__(self, setting: Setting, precision: Precision):
        super().__init__(setting, precision)
        self.amount = setting.envs
        self._actor = ModelActor(self.model, self.agent, setting.envs, STREAMS.key("act"))
        self._env = make_vec(EnvConfig(game="coinrun", num_envs=setting.envs))
        self._observation, _ = self._env.reset(seed=0)
        self._is_first = np.zeros(setting.envs, bool)
        self.stopwatches = {"policy step": Stopwatch(), "environment step": Stopwatch()}

    def turn(self) -> None:
        with self.stopwatches["policy step"]():
            actions = self._actor.act(self._observation, self._is_first).action
        with self.stopwatches["environment step"]():
            self._observation, *_ = self._env.step(actions)

    def operations(self) -> dict[str, int]:
        return {"policy step": self.setting.envs * flops.act(self.config.model, self.config.agent, self.shape, ACTIONS)}


def noise(batch: int, length: int, shape: tuple[int, int, int]) -> Batch:
    """Windows of random pixels and actions, without rewards and ends."""
    generator, nothing = STREAMS.generator("noise"), np.zeros((batch, length), bool)
    images = generator.integers(256, size=(batch, length, *shape), dtype=np.uint8)
    actions = generator.integers(ACTIONS, size=(batch, length), dtype=np.int32)
    return Batch(images, nothing.astype(np.float32), nothing, nothing, nothing, actions)


def measure_group(wanted: Sequence[tuple[Setting, Precision]], seconds: float) -> list[dict[str, Any]]:
    """One record for each setting and precision, after about so many seconds of turns."""
    make_deterministic()
    tf.get_logger().setLevel("ERROR")  # many models in one process: it takes them for one that is traced anew each time
    build = Player if wanted[0][0].axis == "envs" else Learner
    subjects = [build(*one) for one in wanted]
    products = {precision: Product(precision) for precision in dict.fromkeys(precision for _, precision in wanted)}
    for do in rounds(seconds):
        for product in products.values():
            product.turn()
        for subject in subjects:
            # Of a policy's short steps, many for each of the products that they are compared with.
            for _ in range(do if isinstance(subject, Player) else 1):
                subject.turn()
    return [record(subject, products[subject.precision]) for subject in subjects]


def rounds(seconds: float, steps: int = 20) -> Iterator[int]:
    """How many short steps each round is to do: first one, which traces, then until time is up."""
    yield 1
    start = time.perf_counter()
    for done in range(MOST_ROUNDS):
        if done >= LEAST_ROUNDS and time.perf_counter() - start > seconds:
            return
        yield steps


def record(subject: Learner | Player, product: Product) -> dict[str, Any]:
    operations = subject.operations()
    return {
        **subject.setting._asdict(),
        "precision": subject.precision,
        "amount": subject.amount,
        "weights": subject.weights,
        "product": figures(product.stopwatch, product.OPERATIONS),
        "parts": {name: figures(watch, operations.get(name)) for name, watch in subject.stopwatches.items()},
        "machine": machine(),
    }


def figures(watch: Stopwatch, operations: int | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "count": watch.count - 1,
        "wall_ms": 1e3 * watch.wall(),
        "processor_ms": 1e3 * watch.processor(),
    }
    if operations:
        gflop = operations / 1e9
        per_second = {"gflops": gflop / watch.wall(), "gflop_per_processor_second": gflop / watch.processor()}
        found |= {"gflop": gflop, **per_second}
    return found
