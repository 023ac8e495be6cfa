"""Mistakes in a configuration are found before anything is built or written."""

import pytest

from worldmodels.core.config import from_dict
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.runtime.checks import check_config
from worldmodels.runtime.config import RunConfig
from worldmodels.runtime.environment import build_env


@pytest.mark.parametrize(
    ("env", "text"),
    [
        ({"game": "mase"}, "Did you mean 'maze'"),
        ({"game": "maze", "distribution_mode": "hrad"}, "Did you mean 'hard'"),
        ({"game": "maze", "start_level": -1}, "start_level"),
        ({"game": "CartPole-v1"}, "uint8 images"),
        ({"game": "maze,coinrun", "num_envs": 3}, "multiple of its 2 games"),
    ],
)
def test_an_environment_that_does_not_exist_or_fit(env, text):
    with pytest.raises(UserError, match=text):
        check_config(from_dict(RunConfig, {"env": env}))


def test_a_prefill_too_short_for_one_sequence_in_every_environment():
    config = from_dict(RunConfig, {"env": {"num_envs": 8}, "training": {"prefill": 399, "length": 50}})
    with pytest.raises(ConfigError, match="50 x 8 = 400 steps. Received 399"):
        check_config(config)


def test_the_number_of_copies_can_be_another():
    env = build_env(from_dict(RunConfig, {"env": {"game": "maze", "num_envs": 4}}), num_envs=2)
    assert env.num_envs == 2
    env.close()


def test_copies_of_a_mixture_are_rounded_up_to_whole_ones():
    env = build_env(from_dict(RunConfig, {"env": {"game": "maze,coinrun,starpilot", "num_envs": 9}}), num_envs=4)
    assert [info.name for info in env.games] == ["maze", "coinrun", "starpilot"] * 2
    env.close()
