"""What the model-based loop does on real experience is what the model-free loop does: PPO loses nothing by dreaming."""

import numpy as np
from image_spaces import image_replay

from worldmodels.acting.build import build_parts
from worldmodels.acting.collected_steps import CollectedSteps
from worldmodels.acting.step_source import LocalSource
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.training.loops.model_based import ModelBasedLoop
from worldmodels.training.loops.model_free import ModelFreeLoop

AGENT = ("env.game=bigfish", "agent.epochs=2", "agent.minibatch=16", "seed=3")


def configured(preset, *overrides):
    return load_config(RunConfig, [preset], [*AGENT, *overrides])


def finish(loop):
    loop.begin()
    while not loop.finished:
        loop.iterate()
    return loop.parts.agent.save()


def test_without_imagination_the_policy_is_that_of_the_model_free_loop(tmp_path):
    free = configured("debug_ppo", "training.steps=160", "training.rollout=20")
    based = configured("debug_simple", "training.improve=0", "training.fit=1", "training.event_share=0.5")
    envs = [build_env(config) for config in (free, based)]
    replay = image_replay(tmp_path / "replay", 2, (64, 64, 3), based.replay)
    parts = build_parts(free, envs[0])
    expected = finish(ModelFreeLoop(parts, free.training, CollectedSteps(LocalSource(parts, envs[0]), 20)))
    parts = build_parts(based, envs[1])
    collected = CollectedSteps(LocalSource(parts, envs[1]), based.training.real_rollout)
    loop = ModelBasedLoop(parts, based.training, collected, replay)
    np.testing.assert_equal(finish(loop), expected)
    assert (loop.step, loop.updates, loop.real_updates, expected["iterations"]) == (160, 3, 4, 4)
