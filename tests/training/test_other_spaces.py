"""Whole runs in environments of vectors, dictionaries and boxes of actions, with a world model and without."""

from __future__ import annotations

import json

import gymnasium as gym
import numpy as np
import pytest

import worldmodels
from worldmodels.evaluation.request import Request
from worldmodels.evaluation.run import evaluate_run


class Hand(gym.Env):
    """It sees and feels how long it lives, nine steps, and is paid for what it does."""

    observation_space = gym.spaces.Dict(
        {
            "eye": gym.spaces.Box(0, 255, (20, 30, 3), np.uint8),
            "touch": gym.spaces.Box(-np.inf, np.inf, (2,), np.float64),
        }
    )
    action_space = gym.spaces.Box(0, 4, (2, 1), np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._show(), {}

    def step(self, action):
        self.steps += 1
        return self._show(), float(action.sum()), self.steps == 9, False, {}

    def _show(self):
        return {"eye": np.full((20, 30, 3), self.steps, np.uint8), "touch": np.array([self.steps, 1.0])}


gym.register("test/Hand-v0", Hand)


@pytest.mark.parametrize(
    ("game", "agent", "films"),
    [
        ("CartPole-v1", "ppo", 0),
        ("Pendulum-v1", "random", 0),
        ("Pendulum-v1", "trpo", 0),
        ("test/Hand-v0", "random", 1),
        ("test/Hand-v0", "vpg", 1),
    ],
)
def test_a_run_trains_goes_on_and_is_evaluated(tmp_path, capsys, game, agent, films):
    settings = {"agent.kind": agent, "evaluation.noops": [0, 3], "schedule.evaluate_every": 80}
    if agent in ("trpo", "vpg"):
        settings["agent.value_steps"] = 2
    for steps in (80, 160):
        run = worldmodels.train(game, ["debug_ppo"], settings | {"training.steps": steps}, logdir=tmp_path / "run")
    last = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()][-1]
    assert last["step"] == 160 and last["policy/updates"] == 4
    assert "Continuing from the checkpoint at step 80" in capsys.readouterr().out
    learns = agent != "random"
    assert bool(list((run / "videos").glob("policy_*"))) == (learns and films > 0)
    (path,) = evaluate_run(Request(path=run, mode="real", videos=1))
    result = json.loads(path.read_text())
    returns = [cell["policy"]["returns"] for cell in result["returns"]]
    assert [len(each) for each in returns] == [4, 4]
    assert len(list((run / "videos").glob("evaluation_*"))) == 2 * films
    assert ("There is no film" in capsys.readouterr().out) == (not films)


def test_an_off_policy_run_with_a_dictionary_and_a_box_goes_on_in_new_episodes(tmp_path, capsys):
    settings = {"agent.kind": "td3", "schedule.evaluate_every": 0}
    for steps in (80, 160):
        run = worldmodels.train(
            "test/Hand-v0", ["debug_sac"], settings | {"training.steps": steps}, logdir=tmp_path / "run"
        )
    last = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()][-1]
    # Four updates at 40, 60, ..., 160 steps.
    assert last["step"] == 160 and last["policy/updates"] == 28
    assert last["replay/steps"] == last["replay/memory_steps"] == last["replay/total_steps"] == 160
    assert "Continuing from the checkpoint at step 80" in capsys.readouterr().out


WEIGHED = {"training.imagination_weight": "rewards", "replay.held_out_every": 3}


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        ("CartPole-v1", {}),
        ("Pendulum-v1", {"training.exploration.noise": 0.1}),
        (
            "test/Hand-v0",
            {"model.decoder_keys": "touch", "training.imagination_weight": "rewards", "replay.held_out_every": 3},
        ),
        ("test/Hand-v0", {"agent": {"kind": "plan2explore", "members": 2, "network": {"layers": 1, "units": 8}}}),
    ],
    ids=["vectors", "box", "dictionary", "exploring"],
)
def test_a_world_model_is_learned_and_acted_in(tmp_path, game, changes):
    short = {"training.steps": 160, "schedule.evaluate_every": 160, "schedule.checkpoint_every": 80}
    vectors = {"model.vectors": {"layers": 1, "units": 16}, "evaluation.test_levels": False}
    run = worldmodels.train(game, ["debug"], {**short, **vectors, **changes}, logdir=tmp_path / "run")
    last = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()][-1]
    assert last["step"] == 160 and np.isfinite(last["model/loss"])
    # Where every step pays there is nothing to foresee, so that imagination weighs nothing.
    assert last["training/imagination_weight"] == 0 if changes.items() >= WEIGHED.items() else last["policy/updates"]
    assert last["eval/vector_error_at_1"] > 0 and last["eval/copy_vector_error_at_1"] > 0
    shows_images = game.startswith("test/") and "model.decoder_keys" not in changes
    assert ("eval/image_error_at_1" in last) == shows_images
    assert bool(list(run.glob("videos/prediction_*.mp4"))) == shows_images
    evaluate_run(Request(path=run, settings={"episodes": 4}, videos=0))
