"""Held random actions in front of a learner's own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from foreign_worlds.held_start import NOTE, HeldFirst, train

from worldmodels.acting.actor import PolicyOutput


class Always:
    """Chooses one action always, and remembers what it was corrected to and which rewards it was given."""

    def __init__(self, action: int):
        self.action, self.corrected, self.rewards = action, [], []

    def act(self, observation: object, is_first: np.ndarray) -> PolicyOutput:
        return PolicyOutput(np.full(2, self.action, np.int32), extras={"of": self.action})

    def correct(self, action: np.ndarray) -> None:
        self.corrected.append(action.tolist())

    def reinforce(self, reward: np.ndarray) -> None:
        self.rewards.append(reward.tolist())


def test_the_first_steps_are_held_and_the_policy_says_how_probable_they_were() -> None:
    policy, held = Always(0), Always(5)
    actor = HeldFirst(policy, held, steps=2)  # type: ignore[arg-type]
    outputs, ends = [], []
    for reward in ([0.0, 1.0], [2.0, 1.0], [1.0, 1.0]):
        outputs.append(actor.act({}, np.zeros(2, bool)))
        ends.append(actor.reinforce(np.array(reward)))
    assert [output.action.tolist() for output in outputs] == [[5, 5], [5, 5], [0, 0]]
    assert [output.extras["of"] for output in outputs] == [0, 0, 0]
    assert policy.corrected == [[5, 5], [5, 5]]
    assert held.rewards == [[0.0, 1.0], [2.0, 1.0]] and actor.rewards == 3
    assert ends == [False, True, False]


def test_a_run_learns_from_its_held_steps_as_from_its_own(tmp_path: Path) -> None:
    words = ["env.game=coinrun", "env.num_envs=2", "training.steps=64", "training.rollout=16", "agent.minibatch=32"]
    run = tmp_path / "run"
    assert train(48, ["train", "--config", "debug_ppo", *words, "schedule.log_every=32", "--logdir", str(run)]) == 0
    assert json.loads((run / NOTE).read_text())["steps"] == 48
    records = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert [(record["step"], record["policy/updates"]) for record in records] == [(32, 1), (64, 2)]
