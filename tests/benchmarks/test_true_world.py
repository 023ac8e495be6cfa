"""A world model parts of which are the game."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from few_steps.true_world import CAPACITY, Moments, Remembering, TrueState, TrueWorld, train

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import RunError
from worldmodels.envs.games.vector_env import GameVectorEnv
from worldmodels.loading.load import load_run

SEED = tf.constant([1, 2])


class Counter:
    """A model whose state counts imagined steps, and sums up the frames that it observed."""

    spec = SimpleNamespace(observation_shape=(64, 64, 3))

    def imagine(self, state: Any, action: Any, temperature: Any, seed: Any) -> Any:
        return state + 1

    def observe(self, state: Any, observation: Any, action: Any, is_first: Any, seed: Any) -> Any:
        return tf.reduce_sum(tf.cast(observation, tf.float32), (1, 2, 3))

    def readable(self, state: Any) -> Any:
        return state

    features = staticmethod(lambda state: state)
    reward = staticmethod(lambda state: tf.fill(state.shape, 0.5))
    continuation = staticmethod(lambda state: tf.fill(state.shape, 0.25))


def config() -> RunConfig:
    return load_config(RunConfig, ["debug"], ["env.game=coinrun", "env.num_envs=2", "env.num_levels=3"])


@pytest.fixture
def played() -> tuple[Moments, GameVectorEnv, np.ndarray]:
    """The moments of an environment after two steps, itself, and what it shows."""
    moments = Moments()
    env = GameVectorEnv("coinrun", 2, num_levels=3)
    remembering = Remembering(env, moments)
    remembering.reset(seed=1)
    remembering.step(np.array([7, 7]))
    frames, *_ = remembering.step(np.array([7, 8]))
    return moments, env, frames.copy()


def world(moments: Moments, dynamics: bool, rewards: bool) -> TrueWorld:
    return TrueWorld(Counter(), config(), moments, dynamics, rewards)  # type: ignore[arg-type]


def step(world: TrueWorld, games: np.ndarray, action: list[int]) -> TrueState:
    state = TrueState(tf.zeros(2), tf.constant(games), tf.zeros(2), tf.ones(2))
    return tf.function(lambda: world.imagine(state, tf.constant(action), 1.0, SEED), autograph=False)()


def test_a_step_is_that_of_the_game(played: tuple[Moments, GameVectorEnv, np.ndarray]) -> None:
    moments, env, frames = played
    after = step(world(moments, True, True), moments.of(frames), [7, 3])
    true_frames, rewards, terminated, _, _ = env.step(np.array([7, 3]))
    assert after.learned.numpy().tolist() == true_frames.astype(np.float32).sum((1, 2, 3)).tolist()
    assert after.reward.numpy().tolist() == rewards.tolist()
    assert after.continuation.numpy().tolist() == [float(not ended) for ended in terminated]
    again = Moments()
    again.add(true_frames, env.get_state())
    np.testing.assert_array_equal(after.game, again.of(true_frames))


def test_many_steps_come_to_an_end_with_its_reward(played: tuple[Moments, GameVectorEnv, np.ndarray]) -> None:
    moments, env, frames = played
    true, games = world(moments, True, True), moments.of(frames)
    ends = 0
    for _ in range(60):
        state = step(true, games, [7, 8])
        games = state.game.numpy()
        _, rewards, terminated, _, _ = env.step(np.array([7, 8]))
        assert state.reward.numpy().tolist() == rewards.tolist()
        assert state.continuation.numpy().tolist() == (1.0 - terminated).tolist()
        ends += int(terminated.sum())
    assert ends > 0


@pytest.mark.parametrize(
    "dynamics, rewards, learned, reward", [(True, False, None, 0.5), (False, True, 1.0, 0.0), (False, False, 1.0, 0.5)]
)
def test_each_part_is_the_model_s_or_the_game_s(
    played: tuple[Moments, GameVectorEnv, np.ndarray],
    dynamics: bool,
    rewards: bool,
    learned: float | None,
    reward: float,
) -> None:
    moments, _, frames = played
    true = world(moments, dynamics, rewards)
    after = true.readable(step(true, moments.of(frames), [7, 3]))
    assert after.game == ()
    assert (true.features(after).numpy() == 1.0).all() == (learned == 1.0)
    assert true.reward(after).numpy().tolist() == [reward] * 2
    assert true.continuation(after).numpy().tolist() == [1.0 if rewards else 0.25] * 2


def test_moments_are_saved_and_an_unknown_one_is_an_error(played: tuple[Moments, GameVectorEnv, np.ndarray]) -> None:
    moments, _, frames = played
    loaded = Moments()
    loaded.load(moments.save())
    games = loaded.of(frames[None])
    assert games.shape == (1, 2, CAPACITY)
    np.testing.assert_array_equal(games[0], moments.of(frames))
    with pytest.raises(RunError, match="begin it anew"):
        loaded.of(255 - frames)


def test_a_run_learns_in_the_game_and_opens_as_any_other(tmp_path: Path) -> None:
    words = [
        "env.game=coinrun",
        "seed=3",
        "training.steps=140",
        "schedule.evaluate_every=0",
        "--logdir",
        str(tmp_path / "run"),
    ]
    assert train("dynamics+rewards", ["train", "--config", "debug", *words]) == 0
    records = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert records[-1]["policy/updates"] > 0
    assert load_run(tmp_path / "run").step == 140
