"""A run's learned world from its folder alone, as anybody's agent would open it."""

from __future__ import annotations

import numpy as np
import pytest
from untrained import write_untrained_run

import worldmodels
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir


@pytest.fixture(scope="module")
def make_run(tmp_path_factory):
    """A folder with an untrained checkpoint and 60 recorded steps of maze."""
    from worldmodels.acting.actor import RandomActor
    from worldmodels.acting.build import build_parts
    from worldmodels.acting.collect import Collector
    from worldmodels.config.environment import build_env
    from worldmodels.replay import Replay

    def make(*changes):
        config = load_config(RunConfig, ["dreamer_small", "debug"], ["env.game=maze", *changes])
        run = RunDir.create(tmp_path_factory.mktemp("runs") / "tiny", config, {})
        env = build_env(config)
        parts = build_parts(config, env)
        Checkpoints(run.checkpoints).write(0, {"model": parts.model.save(), "agent": parts.agent.save()})
        replay = Replay(run.replay, env.num_envs, env.observation_spec, env.action_spec, config.replay)
        actor = RandomActor(env.action_spec, np.random.default_rng(0))
        for step, _ in Collector(env, 0).steps(actor, 60 // env.num_envs):
            replay.append(step)
        env.close()
        return run.path

    return make


def test_a_run_is_acted_in_from_its_folder(make_run):
    path = make_run()
    envs = [worldmodels.dream(path, num_envs=3, horizon=2) for _ in range(2)]
    stories = []
    for env in envs:
        observation, _ = env.reset(seed=7)
        steps = [env.step(np.array([0, 7, 14])) for _ in range(4)]
        stories.append([observation, *(part for step in steps for part in step[:4])])
    assert observation.shape == (3, 64, 64, 3)
    assert all(np.array_equal(one, other) for one, other in zip(*stories, strict=True))
    assert np.any([terminated | truncated for _, _, terminated, truncated, _ in steps[:2]], axis=0).all()
    features = worldmodels.dream(path, num_envs=2, observe="features", context=2, temperature=0.0)
    assert features.reset(seed=0)[0].shape == (2, 32)


def test_a_run_without_a_world_model_is_named(make_run):
    with pytest.raises(ConfigError, match="'frames' is no world model"):
        worldmodels.dream(make_run("model.kind=frames", "agent.kind=random"))


def test_a_run_of_ppo_which_keeps_no_experience_is_named_too(tmp_path):
    run = write_untrained_run(tmp_path / "ppo", ["debug_ppo"], ["env.game=maze"])
    with pytest.raises(ConfigError, match="'frames' is no world model.* such as one of the preset dreamer_small"):
        worldmodels.dream(run)


def test_what_does_not_exist_is_named(tmp_path):
    with pytest.raises(UserError, match="absent"):
        worldmodels.dream(tmp_path / "absent")
