"""Mistakes in a configuration are found before anything is built or written; the text names both sides."""

import subprocess
import sys
from dataclasses import dataclass

import pytest

from worldmodels.config.checks import check_config
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.ranges import Section
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.specs import ObservationSpec
from worldmodels.models import MODELS
from worldmodels.models.api import ModelSpec

FREE = {"training": {"kind": "model_free"}, "model": {"kind": "frames"}, "agent": {"kind": "ppo"}}

OFF = {"training": {"kind": "off_policy"}, "model": {"kind": "frames"}, "agent": {"kind": "sac"}}


def refused(config, text, error=ConfigError):
    with pytest.raises(error, match=text):
        check_config(from_dict(RunConfig, config))


@pytest.mark.parametrize(
    ("env", "text"),
    [
        ({"game": "mase"}, "Did you mean 'maze'"),
        ({"game": "maze", "distribution_mode": "hrad"}, "Did you mean 'hard'"),
        ({"game": "maze", "start_level": -1}, "start_level"),
        ({"game": "maze,coinrun", "num_envs": 3}, "multiple of its 2 games"),
    ],
)
def test_an_environment_that_does_not_exist_or_fit(env, text):
    refused({"env": env}, text, UserError)


def test_sound_configurations_pass():
    for config in ({}, FREE, OFF):
        check_config(from_dict(RunConfig, config))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"model": {"kind": "rssm"}}, "training.kind is 'model_free' and model.kind is 'rssm'"),
        ({"agent": {"kind": "actor_critic"}}, "training.kind is 'model_free', so .* agent.kind is 'actor_critic'"),
        ({"training": {"kind": "model_based"}}, "training.kind is 'model_based' and model.kind is 'frames'"),
        ({"training": {"kind": "model_free", "rollout": 0}}, "training.rollout must be at least 1. Received 0"),
        ({"schedule": {"evaluate_every": -1}}, "schedule.evaluate_every must be at least 0"),
        ({"schedule": {"keep_checkpoints": 0}}, "schedule.keep_checkpoints must be at least 1"),
    ],
)
def test_loops_models_and_agents_that_do_not_go_together(change, text):
    refused(FREE | change, text)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"model": {"kind": "rssm"}}, "training.kind is 'off_policy' and model.kind is 'rssm'"),
        (
            {"agent": {"kind": "ppo"}},
            "'off_policy', so .* agent.kind is 'ppo', which learns in .* Agents that can: ddpg",
        ),
        ({"agent": {"kind": "ddpg"}}, "cannot choose actions .*its action kinds are box. Agents that can: .*sac"),
        (
            {"training": {"kind": "model_free"}},
            "is 'sac', which learns .* any age .training.kind=off_policy.* can: ppo",
        ),
        (
            {"training": {"kind": "off_policy", "steps": 900}},
            "first update is due after 1024 steps .*training.steps is 900",
        ),
        (
            {"training": {"kind": "off_policy", "update_after": 1, "collect": 8}, "env": {"num_envs": 8}},
            "training.update_after must be at least 5 x env.num_envs = 40 steps. Received 1",
        ),
    ],
)
def test_off_policy_learning_that_does_not_fit(change, text):
    refused(OFF | change, text)


@pytest.mark.parametrize(
    ("training", "text"),
    [
        ({"prefill": 399, "length": 50}, "training.length x env.num_envs = 50 x 8 = 400 steps. Received 399"),
        ({"prefill": 31, "length": 2, "starts": {"context": 4}}, "training.starts.context x .* = 4 x 8 = 32 steps"),
        (
            {"imagination_weight": "rewards", "collect": 159},
            r"at least \(.*\) x env.num_envs = 20 x 8 = 160. Received 159",
        ),
        ({"starts": {"context": 4, "rollouts": 1, "newest": 24}}, "= 4 x 8 = 32 steps, or be 0 for all. Received 24"),
        (
            {"starts": {"context": 4, "rollouts": 16, "beginnings": 17}},
            "beginnings is 17, out of 16 in training.starts.rollouts",
        ),
        (
            {"starts": {"context": 4}},
            "starts.rollouts must be at least 1 where training.starts.context is 4: .* Received 0",
        ),
        ({"real_rollout": 10, "collect": 80}, "real_rollout is 10, so .* agent.kind is 'actor_critic'"),
        ({"collect": 0}, "training.collect is 0, so training.turns .* Received turns 0"),
        ({"fit": 0, "starts": {"context": 4}}, "learn in a world model that nothing trains"),
        ({"fit": 0, "pretrain": 5}, "each turn must fit. training.fit is 0"),
        ({"fit": 3, "fit_factors": [0.1]}, r"each turn must fit. training.fit is 3, training.fit_factors \(0.1,\)"),
        ({"fit_factors": [1, -1]}, r"fit_factors must be 0 or more. Received \(1.0, -1.0\)"),
        ({"prefill": 5000, "steps": 4000}, "training.prefill is 5000, and training.steps 4000"),
        ({"event_share": 1.0}, "training.event_share must be at least 0 and below 1. Received 1.0"),
    ],
)
def test_numbers_of_the_loop_that_do_not_go_together(training, text):
    refused({"env": {"num_envs": 8}, "training": training}, text)


def test_what_a_turn_collects_is_whole_real_rollouts():
    training = {"real_rollout": 10, "collect": 100}
    refused({"agent": {"kind": "random"}, "env": {"num_envs": 8}, "training": training}, "10 x 8 = 80. Received 100")


def test_an_agent_that_learns_from_its_own_actions_does_not_explore():
    training = {"real_rollout": 10, "collect": 80, "exploration": {"epsilon": 0.1}}
    config = {"agent": {"kind": "ppo"}, "env": {"num_envs": 8}, "training": training}
    refused(config, "training.exploration.epsilon and .noise must be 0. Received 0.1 and 0")


@pytest.mark.parametrize("every", [-1, 1])
def test_held_out_episodes_leave_some_to_learn_from(every):
    refused({"replay": {"held_out_every": every}}, f"replay.held_out_every must be 0 .* Received {every}")


def test_a_window_is_longer_than_what_a_next_frame_model_sees():
    config = {"model": {"kind": "deterministic"}, "training": {"length": 4}}
    refused(config, "training.length is 4; a sequence must hold at least 5 steps")


def test_an_agent_that_cannot_have_the_actions_is_refused_with_those_that_can():
    config = FREE | {"env": {"game": "CartPole-v1"}}
    text = (
        "agent.kind is 'td3', which cannot choose actions that are one of 2 choices: .* can: actor_critic, "
        "plan2explore, ppo, random"
    )
    refused(config | {"agent": {"kind": "td3"}}, text)
    check_config(from_dict(RunConfig, config))


@pytest.mark.parametrize("kind", [{}, OFF])
def test_a_replay_store_has_memory_for_what_it_keeps_of_each_step(kind):
    refused(kind | {"replay": {"capacity_steps": 3_000_000}}, "replay.memory_megabytes is 50; .* needs at least 64 for")
    refused(kind | {"replay": {"capacity_steps": 1}, "env": {"num_envs": 2}}, "at least 1 step for each of the 2 env")


def test_a_run_without_a_replay_store_needs_no_memory_for_it():
    check_config(from_dict(RunConfig, FREE | {"replay": {"capacity_steps": 3_000_000}}))


def test_next_frame_models_have_no_vectors():
    check_config(from_dict(RunConfig, FREE | {"env": {"game": "CartPole-v1"}}))
    check_config(from_dict(RunConfig, {"env": {"game": "CartPole-v1"}}))  # the RSSM has any spaces
    for kind in ("deterministic", "stochastic_discrete"):
        config = {"model": {"kind": kind}, "env": {"game": "CartPole-v1"}}
        refused(config, rf"model.kind is '{kind}', which does not fit .* images .* Received vector float32 \(4,\)")


@dataclass(frozen=True)
class AnySpacesConfig(Section):
    """A world model that takes any spaces, as another package may have one."""

    kind: str = "any_spaces"

    def spec(self, observation, action):
        return ModelSpec(observation, action, ObservationSpec.of(3))


@pytest.mark.parametrize(
    ("training", "text"),
    [
        ({"prefill_policy": "held"}, "training.prefill_policy is 'held', which holds discrete .* a box of 1 numbers"),
    ],
)
def test_nothing_is_held_where_actions_are_a_box(monkeypatch, training, text):
    monkeypatch.setitem(MODELS._configs, "any_spaces", AnySpacesConfig)
    config = {"model": {"kind": "any_spaces"}, "agent": {"kind": "random"}, "env": {"game": "Pendulum-v1"}}
    check_config(from_dict(RunConfig, config))
    refused(config | {"training": training}, text)


def test_tensorflow_is_not_needed_to_find_them():
    program = (
        "import sys; from worldmodels.training.launch import launch, parse_config\n"
        "from worldmodels.core.errors import ConfigError\n"
        "folder = '/nowhere/to/be/made'\n"
        "try: launch(parse_config(['debug'], ['training.real_rollout=10'], folder), folder)\n"
        "except ConfigError: sys.exit('tensorflow' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_critic_that_learns_from_recordings_needs_starts_along_them():
    starts = {"training": {"starts": {"context": 4, "rollouts": 16}}, "agent": {"replay_value_scale": 0.3}}
    refused(starts, "agent.replay_value_scale .* training.starts.context is 4: imagination starts elsewhere")


def test_without_steps_of_its_own_nothing_is_learned_from_recent_ones():
    given = {"training": {"collect": 0, "turns": 3, "initial_replay": "somewhere"}}
    refused(
        {**given, "agent": {"recent": {"policy_scale": 0.1}}},
        "recent.policy_scale .* training.collect is 0: it must be 0, too.* Received 0.1",
    )
    check_config(from_dict(RunConfig, {**given, "agent": {"recent": {"policy_scale": 0.0}}}))


def test_recent_steps_fill_a_window():
    given = {"training": {"length": 20}, "agent": {"recent": {"policy_scale": 0.1, "steps": 19}}}
    refused(given, "recent.steps must be at least training.length.* Received 19 and 20")
    given["agent"]["recent"]["steps"] = 20
    check_config(from_dict(RunConfig, given))
