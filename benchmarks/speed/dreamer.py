"""Dreamer: a world model and the policy in it, updated in turn by two layouts.

reference      DreamerV2's own layout: convolutions of depth 16, GRU of 256, 16 latents of 16 classes, two hidden layers
               of 256 units in each head, imagination of 15 steps from all 512 states of a batch
dreamer_small  as configs/dreamer_small.yaml says

Each is measured in float32, and in bfloat16 where the processor has it. All see the same batches of 16 windows of 32
frames, and dreamer_small also the first 8 x 16 of them, with a quarter of the rollouts: as many for each frame.
Afterwards they predict held-out windows of other levels: 5 frames seen, then 15 steps alone under the recorded actions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf

from speed.experience import ACTIONS, ENVS, SHAPE, STREAMS, record, windows
from speed.stopwatch import Product, Stopwatch, precisions
from worldmodels.agents import build_agent
from worldmodels.agents.actor_critic_config import ActorCriticConfig
from worldmodels.core.config import load_config
from worldmodels.core.seeding import fold
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.evaluation.measures.model_errors import model_errors
from worldmodels.evaluation.measures.open_loop import OpenLoopPredictor
from worldmodels.imagination.starts import choose_starts
from worldmodels.models import build_model
from worldmodels.models.config import ConvConfig, HeadConfig
from worldmodels.models.graph import make_deterministic
from worldmodels.models.precision import building_in
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.runtime.actor import ModelActor
from worldmodels.runtime.config import RunConfig

BATCH, LENGTH, CONTEXT, HORIZON = 16, 32, 5, 15
PEER = 720.0
"""Frames per second of DreamerV2's own code at the layout `reference`, on two cores of an Intel Xeon."""


class Learner:
    """A world model and an actor-critic, which starts imagining at `starts` states of each batch; 0 for all."""

    def __init__(self, model: Any, agent: Any, starts: int):
        make_deterministic()
        self._starts, self._choose = starts, tf.function(choose_starts, autograph=False)
        self.model = build_model(model, ObservationSpec.of(*SHAPE), ActionSpec(ACTIONS), STREAMS.key("model"))
        self.agent = build_agent(agent, self.model.spec, STREAMS.key("agent"))
        self.updates = Stopwatch(warm_up=5)

    def update(self, batch: Batch, number: int) -> None:
        with self.updates():
            _, states = self.model.fit(batch, fold(STREAMS.key("fit"), number))
            seed = fold(STREAMS.key("improve"), number)
            starts = self._choose(states, 1.0 - tf.cast(batch.is_terminal, tf.float32), self._starts, seed)
            metrics = self.agent.update_from_imagination(self.model, *starts, seed)
            metrics["policy/finite"].numpy()


def learners() -> dict[str, Learner]:
    """Return the learners of both layouts, in the current precision."""
    small = load_config(RunConfig, ["dreamer_small"])
    head = HeadConfig(layers=2, units=256)
    layout = {"recurrent": 256, "hidden": 256, "latents": 16, "classes": 16, "heads": head}
    conv = ConvConfig(depth=16)
    # Everything but layout and size as in dreamer_small, so that the same updates can be compared.
    model: RSSMConfig = replace(small.model, **layout, encoder=conv, decoder=conv)
    agent: ActorCriticConfig = replace(small.agent, actor=head, critic=head, horizon=15)
    return {
        "reference": Learner(model, agent, 0),
        "dreamer_small": Learner(small.model, small.agent, small.training.starts.rollouts),
    }


def policy_step(learner: Learner, repetitions: int = 200) -> float:
    """Median milliseconds of one call that observes and acts for 16 environments."""
    actor = ModelActor(learner.model, learner.agent, ENVS, STREAMS.key("act"))
    images, is_first, steps = np.zeros((ENVS, *SHAPE), np.uint8), np.zeros(ENVS, bool), Stopwatch()
    for _ in range(repetitions):
        with steps():
            actor.act(images, is_first)
    return 1e3 * steps.wall()


def measure(updates: int) -> dict[str, Any]:
    recording, held_out = record("coinrun", "training", 1000), record("coinrun", "held out", 500)
    all_learners: dict[tuple[str, str], Learner] = {}
    for precision in precisions():
        with building_in(precision):
            small_batches = {"dreamer_small, 8 x 16": _small_batch_learner()}
            all_learners |= {(name, precision): one for name, one in (learners() | small_batches).items()}
    product, generator = Product("float32"), STREAMS.generator("windows")
    for number in range(updates):
        product.turn()
        batch = windows(recording, BATCH, LENGTH, generator)
        for (name, _), learner in all_learners.items():
            learner.update(_part(batch) if "8 x 16" in name else batch, number)
    test = windows(held_out, 256, CONTEXT + HORIZON, STREAMS.generator("test windows"))
    rows = [figures(*which, learner, test) for which, learner in all_learners.items()]
    return {"updates": updates, "product": product.gigaflops(), "rows": rows}


def _small_batch_learner() -> Learner:
    small = load_config(RunConfig, ["dreamer_small"])
    return Learner(small.model, small.agent, small.training.starts.rollouts // 4)


def _part(batch: Batch) -> Batch:
    return Batch(*(values[: BATCH // 2, : LENGTH // 2] for values in batch))


def figures(name: str, precision: str, learner: Learner, test: Batch) -> dict[str, Any]:
    errors = model_errors(
        OpenLoopPredictor(learner.model, CONTEXT).measure(test, STREAMS.key("test"))[0], test, CONTEXT
    )
    frames = BATCH * LENGTH // (4 if "8 x 16" in name else 1)
    return {
        "learner": name,
        "precision": precision,
        "frames_per_second": frames / learner.updates.wall(),
        "best_frames_per_second": frames / learner.updates.least(),
        "processor_seconds_per_update": learner.updates.processor(),
        "policy_step_milliseconds": policy_step(learner),
        "image_error": errors.image_error.mean.tolist(),
        "copy_image_error": errors.copy_image_error.mean.tolist(),
        "parameters": int(sum(np.prod(variable.shape) for variable in learner.model.variables.values())),
    }
