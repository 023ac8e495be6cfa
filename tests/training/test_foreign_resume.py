"""A run in an environment of others that can be saved goes on from a checkpoint to the same numbers."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec

import pytest

import worldmodels
from worldmodels.core.files.checkpoint import Checkpoints

RUNS = {
    "CartPole-v1": (None, "debug_ppo", {}),
    "CartPole-v1, two workers": (None, "debug_ppo", {"env.workers": 2}),
    "Pendulum-v1": (None, "debug_sac", {"agent.kind": "sac"}),
    "ALE/Pong-v5": ("ale_py", "debug_ppo", {"env.sticky_actions": 0.25, "env.action_repeat": 2}),
    "HalfCheetah-v5": (
        "mujoco",
        "debug_sac",
        {
            "agent.kind": "sac",
            "env.time_limit": 30,
            "env.info.sum": ["reward_ctrl"],
            "env.info.mean": ["x_velocity"],
            "env.info.max": ["x_velocity"],
        },
    ),
    "dm_control/walker-walk-v0": ("shimmy", "debug_ppo", {"env.action_repeat": 2}),
}


def learning_records(run):
    """All recorded numbers but those of the clock."""
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in row.items() if not key.startswith("time/")} for row in rows]


@pytest.mark.parametrize("name", RUNS)
def test_a_run_goes_on_exactly(name, tmp_path, same_tree):
    package, preset, more = RUNS[name]
    if package and not find_spec(package):
        pytest.skip(f"{package} is not installed")
    settings = {"training.steps": 160, "schedule.checkpoint_every": 80, "schedule.evaluate_every": 0} | more
    game, whole, resumed = name.partition(",")[0], tmp_path / "whole", tmp_path / "resumed"
    worldmodels.train(game, [preset], settings, logdir=whole)
    shutil.copytree(whole, resumed)
    shutil.rmtree(resumed / "checkpoints" / "00000160")
    worldmodels.train(game, [preset], settings, logdir=resumed)
    (_, tree), (step, other) = (Checkpoints(run / "checkpoints").read() for run in (whole, resumed))
    assert step == 160 and "arrived" in tree["collector"]["collector"]
    for each in (tree, other):
        del each["records"]  # which tell of processes
    same_tree(tree, other)
    records = learning_records(whole)
    assert records == learning_records(resumed)
    if "env.info.sum" in more:
        episodes = next(row for row in records if "episode/max/x_velocity" in row)
        assert episodes["episode/sum/reward_ctrl"] < 0
        assert episodes["episode/mean/x_velocity"] < episodes["episode/max/x_velocity"]
