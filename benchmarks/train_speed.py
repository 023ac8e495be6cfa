"""How fast world model and policy learn on this machine, and how well the fast one predicts.

    python benchmarks/train_speed.py [--updates 300] [--output benchmarks/results/train_speed]

Two learners see the same batches of 16 windows of 32 frames, recorded from coinrun under random actions. They update in
turn, so that whatever else the machine does meets both:

reference      DreamerV2's own layout: convolutions of depth 16, GRU of 256, 16 latents of 16 classes, two hidden layers
               of 256 units in each head, imagination of 15 steps from all 512 states of a batch
dreamer_small  as configs/dreamer_small.yaml says

Wall time depends on what else runs; processor time (user and system, all threads) much less. Afterwards both predict
held-out windows of other levels: 5 frames seen, then 15 steps alone under the recorded actions.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents import build_agent
from worldmodels.agents.actor_critic_config import ActorCriticConfig
from worldmodels.core.config import load_config
from worldmodels.core.seeding import Streams, fold
from worldmodels.core.types import Batch
from worldmodels.envs import EnvConfig, make_vec
from worldmodels.evaluation.world_model import evaluate_world_model
from worldmodels.models import build_model
from worldmodels.models.config import ConvConfig, HeadConfig
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.runtime.actor import ModelActor, RandomActor
from worldmodels.runtime.collect import Collector
from worldmodels.runtime.config import RunConfig

STREAMS = Streams(0)
BATCH, LENGTH, ENVS, CONTEXT, HORIZON = 16, 32, 16, 5, 15
SHAPE, ACTIONS = (64, 64, 3), 15
TARGETS = {"reference": 950.0, "dreamer_small": 2500.0}
POLICY_TARGET = 4.0


class Learner:
    """A world model and an actor-critic, with the times of their updates."""

    def __init__(self, model: Any, agent: Any):
        self.model = build_model(model, SHAPE, ACTIONS, STREAMS.key("model"))
        self.agent = build_agent(agent, self.model.spec, STREAMS.key("agent"))
        self.wall: list[float] = []
        self.processor: list[float] = []

    def update(self, batch: Batch, number: int) -> None:
        wall, processor = time.perf_counter(), time.process_time()
        _, states = self.model.fit(batch, fold(STREAMS.key("fit"), number))
        continues = 1.0 - tf.cast(batch.is_terminal, tf.float32)
        metrics = self.agent.improve(self.model, states, continues, fold(STREAMS.key("improve"), number))
        metrics["policy/finite"].numpy()
        self.wall.append(time.perf_counter() - wall)
        self.processor.append(time.process_time() - processor)


def learners() -> dict[str, Learner]:
    small = load_config(RunConfig, ["dreamer_small"])
    head = HeadConfig(layers=2, units=256)
    layout = {"recurrent": 256, "hidden": 256, "latents": 16, "classes": 16, "heads": head}
    conv = ConvConfig(depth=16)
    # Everything but layout and size as in dreamer_small, so that the same updates can be compared.
    model: RSSMConfig = replace(small.model, **layout, encoder=conv, decoder=conv)
    agent: ActorCriticConfig = replace(small.agent, actor=head, critic=head, horizon=15, starts=0)
    return {"reference": Learner(model, agent), "dreamer_small": Learner(small.model, small.agent)}


def record(name: str, steps: int) -> Batch:
    """(ENVS, steps): coinrun under random actions."""
    env = make_vec(EnvConfig(game="coinrun", num_envs=ENVS))
    actor = RandomActor(ACTIONS, STREAMS.generator(name))
    collected = list(Collector(env, STREAMS.integer(name)).collect(actor, ENVS * steps))
    env.close()
    return Batch(*(np.stack(values, 1) for values in zip(*collected, strict=True)))


def windows(recording: Batch, count: int, length: int, generator: np.random.Generator) -> Batch:
    """`count` windows of `length` steps, drawn at random."""
    rows = generator.integers(ENVS, size=count)[:, None]
    times = generator.integers(recording.action.shape[1] - length + 1, size=count)[:, None] + np.arange(length)
    return Batch(*(values[rows, times] for values in recording))


def policy_step(learner: Learner, repetitions: int = 200) -> float:
    """Median milliseconds of one call that observes and acts for 16 environments."""
    actor = ModelActor(learner.model, learner.agent, ENVS, STREAMS.key("act"))
    images, is_first, times = np.zeros((ENVS, *SHAPE), np.uint8), np.zeros(ENVS, bool), []
    for _ in range(repetitions):
        start = time.perf_counter()
        actor.act(images, is_first)
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times))


def measure(updates: int) -> dict[str, Any]:
    recording, held_out = record("training", 1000), record("held out", 500)
    both, generator = learners(), STREAMS.generator("windows")
    for number in range(updates):
        batch = windows(recording, BATCH, LENGTH, generator)
        for learner in both.values():
            learner.update(batch, number)
    test = windows(held_out, 256, CONTEXT + HORIZON, STREAMS.generator("test windows"))
    return {
        "machine": {"processor": processor_name(), "cores": os.cpu_count(), "tensorflow": tf.__version__},
        "updates": updates,
        "learners": {name: figures(learner, test) | {"target": TARGETS[name]} for name, learner in both.items()},
    }


def figures(learner: Learner, test: Batch) -> dict[str, Any]:
    frames, warm = BATCH * LENGTH, slice(min(5, len(learner.wall) - 1), None)  # the first ones trace
    errors = evaluate_world_model(learner.model, test, CONTEXT, STREAMS.key("test"))
    return {
        "frames_per_second": frames / float(np.median(learner.wall[warm])),
        "processor_seconds_per_update": float(np.median(learner.processor[warm])),
        "policy_step_milliseconds": policy_step(learner),
        "image_error": errors.image_error.mean.tolist(),
        "copy_image_error": errors.copy_image_error.mean.tolist(),
        "parameters": int(sum(np.prod(variable.shape) for variable in learner.model.variables.values())),
    }


def processor_name() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def report(result: dict[str, Any]) -> str:
    machine = result["machine"]
    lines = [
        "# Speed of training",
        "",
        f"`python benchmarks/train_speed.py --updates {result['updates']}`, {machine['cores']} cores of "
        f"{machine['processor']}, TensorFlow {machine['tensorflow']}. Medians over updates made in turn; frames are "
        "those of the batch, per second of fitting the model and improving the policy together.",
        "",
        "| learner | frames/s | target | processor s/update | policy step, 16 envs | world model weights |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in result["learners"].items():
        lines.append(
            f"| {name} | {row['frames_per_second']:,.0f} | {row['target']:,.0f} | "
            f"{row['processor_seconds_per_update']:.3f} | {row['policy_step_milliseconds']:.2f} ms | "
            f"{row['parameters'] / 1e6:.2f}M |"
        )
    lines += [
        "",
        f"The target for a policy step is {POLICY_TARGET:.0f} ms. Image error (mean squared, pixels from 0 to 1) on "
        f"held-out coinrun levels after {result['updates']} updates on the same batches, predicting without looking:",
        "",
        "| | 1 step | 5 steps | 10 steps | 15 steps | mean of 1 to 15 |",
        "|---|---|---|---|---|---|",
    ]
    rows = {name: row["image_error"] for name, row in result["learners"].items()}
    rows["the last frame seen, copied"] = result["learners"]["reference"]["copy_image_error"]
    for name, error in rows.items():
        cells = [*(error[step - 1] for step in (1, 5, 10, 15)), float(np.mean(error))]
        lines.append(f"| {name} | " + " | ".join(f"{cell:.5f}" for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=300)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "train_speed")
    arguments = parser.parse_args()
    result = measure(arguments.updates)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.with_suffix(".json").write_text(json.dumps(result, indent=2) + "\n")
    arguments.output.with_suffix(".md").write_text(report(result))
    print(report(result))


if __name__ == "__main__":
    main()
