"""Measures updates of a world model and its policy in two layouts of Dreamer, in turn.

reference      DreamerV2's own layout: convolutions of depth 16, GRU of 256, 16 latents of 16 classes, two hidden layers
               of 256 units in each head, imagination of 15 steps from all 512 states of a batch
dreamer_small  as configs/dreamer_small.yaml says

Each is measured in float32, and in bfloat16 where the processor has it. All see the same batches of 16 windows of 32
frames, and dreamer_small also the first 8 x 16 of them, with a quarter of the rollouts: as many for each frame. Both
layouts also learn the same frames with random actions of a box of 6 numbers, where gradients go through the dynamics.
Afterwards they predict held-out windows of other levels: 5 frames seen, then 15 steps alone under the recorded actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import tensorflow as tf

from speed.experience import ACTIONS, ENVS, SHAPE, STREAMS, record, windows
from speed.held_out import held_out_errors
from speed.peer import Peer
from speed.stopwatch import Product, Stopwatch, precisions
from worldmodels.acting.actor import ModelActor
from worldmodels.agents import build_agent
from worldmodels.agents.dreamer.config import ActorCriticConfig
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.seeding import fold
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.imagination.starts import choose_starts
from worldmodels.models import build_model
from worldmodels.models.config import ConvConfig, HeadConfig
from worldmodels.models.graph import make_deterministic
from worldmodels.models.precision import building_in
from worldmodels.models.rssm.config import RSSMConfig

BATCH, LENGTH, CONTEXT, HORIZON = 16, 32, 5, 15
BOX = ActionSpec(low=(-1.0,) * 6, high=(1.0,) * 6)
OF_A_BOX, FEWER_FRAMES = "box of 6", "8 x 16"
"""What the names of learners say of their actions and of their batches."""


class Learner:
    """A world model and an actor-critic, which starts imagining at `starts` states of each batch; 0 for all."""

    def __init__(self, model: Any, agent: Any, starts: int, action: ActionSpec):
        make_deterministic()
        self._starts, self._choose = starts, tf.function(choose_starts, autograph=False)
        self.model = build_model(model, ObservationSpec.of(*SHAPE), action, STREAMS.key("model"))
        self.agent = build_agent(agent, self.model.spec, STREAMS.key("agent"))
        self.updates = Stopwatch(warm_up=5)

    def update(self, batch: Batch, number: int) -> None:
        with self.updates():
            _, states = self.model.fit(batch, fold(STREAMS.key("fit"), number))
            seed = fold(STREAMS.key("improve"), number)
            goes_on = 1.0 - tf.cast(batch.is_terminal, tf.float32)
            starts = self._choose(states, goes_on, self._starts, seed)
            metrics = self.agent.update_from_imagination(self.model, starts, seed)
            metrics["policy/finite"].numpy()


def learners() -> dict[str, Learner]:
    """Return the learners of both layouts by their names, in the current precision."""
    small = load_config(RunConfig, ["dreamer_small"])
    head = HeadConfig(layers=2, units=256)
    layout = {"recurrent": 256, "hidden": 256, "latents": 16, "classes": 16, "heads": head}
    conv = ConvConfig(depth=16)
    # Everything but layout and size as in dreamer_small, so that the same updates can be compared.
    model: RSSMConfig = replace(small.model, **layout, encoder=conv, decoder=conv)
    agent: ActorCriticConfig = replace(small.agent, actor=head, critic=head, horizon=15)
    rollouts, found = small.training.starts.rollouts, {}
    for suffix, action in (("", ActionSpec(ACTIONS)), (f", {OF_A_BOX}", BOX)):
        found[f"reference{suffix}"] = Learner(model, agent, 0, action)
        found[f"dreamer_small{suffix}"] = Learner(small.model, small.agent, rollouts, action)
    found[f"dreamer_small, {FEWER_FRAMES}"] = Learner(small.model, small.agent, rollouts // 4, ActionSpec(ACTIONS))
    return found


def policy_step(learner: Learner, repetitions: int = 200) -> float:
    """Median milliseconds of one call that observes and acts for 16 environments."""
    actor = ModelActor(learner.model, learner.agent, ENVS, STREAMS.key("act"))
    images, is_first, steps = np.zeros((ENVS, *SHAPE), np.uint8), np.zeros(ENVS, bool), Stopwatch()
    for _ in range(repetitions):
        with steps():
            actor.act(images, is_first)
    return 1e3 * steps.wall()


def measure(updates: int, peer_python: str | None) -> dict[str, Any]:
    """Return the figures of all learners, and of DreamerV2's own code if its Python is given."""
    recording, held_out = record("coinrun", "training", 1000), record("coinrun", "held out", 500)
    all_learners: dict[tuple[str, str], Learner] = {}
    for precision in precisions():
        with building_in(precision):
            all_learners |= {(name, precision): one for name, one in learners().items()}
    product, generator, box = Product("float32"), STREAMS.generator("windows"), STREAMS.generator("box")
    peer = Peer(peer_python, "dreamerv2_peer.py", BATCH, LENGTH, HORIZON, ACTIONS) if peer_python else None
    for number in range(updates):
        product.turn()
        batch = windows(recording, BATCH, LENGTH, generator)
        for (name, _), learner in all_learners.items():
            learner.update(_seen_by(name, batch, box), number)
        if peer:
            peer.turn()
    test = windows(held_out, 256, CONTEXT + HORIZON, STREAMS.generator("test windows"))
    rows = [figures(*which, learner, test) for which, learner in all_learners.items()]
    beside = {"dreamerv2": _peer_figures(peer.end())} if peer else {}
    return {"updates": updates, "product": product.gigaflops(), "rows": rows, **beside}


def _peer_figures(turns: Sequence[dict[str, float]]) -> dict[str, float]:
    wall, processor = (float(np.median([turn[name] for turn in turns])) for name in ("wall", "processor"))
    best = min(turn["wall"] for turn in turns)
    return {
        "frames_per_second": BATCH * LENGTH / wall,
        "best_frames_per_second": BATCH * LENGTH / best,
        "processor_seconds_per_update": processor,
    }


def _seen_by(name: str, batch: Batch, generator: np.random.Generator) -> Batch:
    """Return what the learner of a name sees of a batch."""
    if OF_A_BOX in name:
        return batch._replace(action=generator.uniform(-1, 1, (BATCH, LENGTH, BOX.size)).astype(np.float32))
    return Batch(*(values[: BATCH // 2, : LENGTH // 2] for values in batch)) if FEWER_FRAMES in name else batch


def figures(name: str, precision: str, learner: Learner, test: Batch) -> dict[str, Any]:
    frames = BATCH * LENGTH // (4 if FEWER_FRAMES in name else 1)
    return {
        "learner": name,
        "precision": precision,
        "frames_per_second": frames / learner.updates.wall(),
        "best_frames_per_second": frames / learner.updates.least(),
        "processor_seconds_per_update": learner.updates.processor(),
        "policy_step_milliseconds": policy_step(learner),
        "parameters": int(sum(np.prod(variable.shape) for variable in learner.model.variables.values())),
        **({} if OF_A_BOX in name else _errors(learner, test)),  # random actions foretell nothing
    }


def _errors(learner: Learner, test: Batch) -> dict[str, list[float]]:
    errors = held_out_errors(learner.model, test, CONTEXT, STREAMS.key("test"))
    return {
        "image_error": errors.image_error.mean.tolist(),
        "copy_image_error": errors.copy_image_error.mean.tolist(),
    }
