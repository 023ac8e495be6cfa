"""The real world of a run, as often as it is asked for."""

from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import from_dict


def test_the_number_of_copies_can_be_another():
    env = build_env(from_dict(RunConfig, {"env": {"game": "maze", "num_envs": 4}}), num_envs=2)
    assert env.num_envs == 2
    env.close()


def test_copies_of_a_mixture_are_rounded_up_to_whole_ones():
    env = build_env(from_dict(RunConfig, {"env": {"game": "maze,coinrun,starpilot", "num_envs": 9}}), num_envs=4)
    assert [info.name for info in env.games] == ["maze", "coinrun", "starpilot"] * 2
    env.close()
