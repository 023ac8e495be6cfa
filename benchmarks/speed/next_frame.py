"""Measures learning and simulation of next-frame models, published and small, in turn.

A frame of training is one that the model is given as a target: of a window, those after the frames that it sees. (A
model that predicts those first frames as well, for its own sake, does more than is counted.) A frame of simulation is
one step of one rollout, with its image, reward and continuation read.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from speed.experience import ACTIONS, SHAPE, STREAMS, record, windows
from speed.stopwatch import Product, Stopwatch, precisions
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.seeding import fold
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.imagination.worlds import ImaginedWorlds
from worldmodels.models import build_model
from worldmodels.models.precision import building_in

GAME = "coinrun"
CONTEXT = 5
ROLLOUTS = (1, 16)
PIECE = 2.0
"""Seconds for which one learner does one thing before it is the next one's turn; but at least once."""
MEAN = ", mean"
"""Marks a sampled model whose simulation is at temperature 0: one call of its network for each frame."""
PRESETS = (
    *("simple", "simple_deterministic", "simple_small", "simple_deterministic_small"),
    *("flow_small", f"flow_small{MEAN}"),
)


class Learner:
    """The world model of a preset, with the batches of that preset."""

    def __init__(self, config: RunConfig):
        self.config = config
        self.model = build_model(config.model, ObservationSpec.of(*SHAPE), ActionSpec(ACTIONS), STREAMS.key("model"))
        self.updates = Stopwatch()

    @property
    def targets(self) -> int:
        """Frames that an update is about."""
        training = self.config.training
        return training.batch * (training.length - self.config.model.frames)

    @property
    def parameters(self) -> int:
        return int(sum(np.prod(variable.shape) for variable in self.model.variables.values()))

    def update(self, recording: Batch, generator: np.random.Generator) -> None:
        training = self.config.training
        batch = windows(recording, training.batch, training.length, generator)
        with self.updates():
            metrics, _ = self.model.fit(batch, fold(STREAMS.key("fit"), self.updates.count))
            metrics["model/finite"].numpy()


class Simulation:
    """Rollouts under random actions."""

    def __init__(self, model: Any, recording: Batch, rollouts: int, temperature: float):
        self._actions, self._rollouts = STREAMS.generator("actions"), rollouts
        self._worlds = ImaginedWorlds(
            model, lambda *how: windows(recording, how[0], CONTEXT, how[1]), rollouts, temperature, "frames"
        )
        self._worlds.seed(0)
        self._worlds.begin(np.ones(rollouts, bool))
        self.steps = Stopwatch()

    def step(self) -> None:
        actions = self._actions.integers(ACTIONS, size=self._rollouts, dtype=np.int32)
        with self.steps():
            self._worlds.step(actions)


def build_learners() -> dict[tuple[str, str], Learner]:
    built: dict[tuple[str, str], Learner] = {}
    for precision in precisions():
        with building_in(precision):
            for name in PRESETS:
                built[name, precision] = Learner(load_config(RunConfig, [name.removesuffix(MEAN)]))
    return built


def for_a_while(do: Callable[[], None]) -> None:
    start = time.perf_counter()
    do()
    while time.perf_counter() - start < PIECE:
        do()


def measure(rounds: int) -> dict[str, Any]:
    recording, generator = record(GAME, "training", 200), STREAMS.generator("windows")
    learners, product = build_learners(), Product("float32")
    simulations = {
        (name, precision): {
            count: Simulation(learner.model, recording, count, 0.0 if name.endswith(MEAN) else 1.0)
            for count in ROLLOUTS
        }
        for (name, precision), learner in learners.items()
    }
    for _ in range(rounds + 1):  # the first round traces
        for_a_while(product.turn)
        for which, learner in learners.items():
            for_a_while(partial(learner.update, recording, generator))
            for simulation in simulations[which].values():
                for_a_while(simulation.step)
    rows = [
        {"preset": preset, "precision": precision} | figures(learner, simulations[preset, precision])
        for (preset, precision), learner in learners.items()
    ]
    return {"rounds": rounds, "product": product.gigaflops(), "rows": rows}


def figures(learner: Learner, simulations: dict[int, Simulation]) -> dict[str, Any]:
    found = {
        "parameters": learner.parameters,
        "targets_per_update": learner.targets,
        "training": learner.targets / learner.updates.wall(),
        "training_processor_seconds": learner.updates.processor() / learner.targets,
    }
    for count, simulation in simulations.items():
        found[f"simulation_{count}"] = count / simulation.steps.wall()
        found[f"simulation_{count}_processor_seconds"] = simulation.steps.processor() / count
    return found
