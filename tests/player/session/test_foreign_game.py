"""The player with an environment that is not one of ours."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from worldmodels.core.config import from_dict
from worldmodels.core.errors import UserError
from worldmodels.core.run_dir import RunDir
from worldmodels.envs import EnvConfig
from worldmodels.player.app import play_runs
from worldmodels.player.session.controls import Controls
from worldmodels.player.session.foreign_game import ForeignGame
from worldmodels.player.session.options import PlayOptions
from worldmodels.runtime.config import RunConfig
from worldmodels.telemetry.video import read_video


class Lamp(gym.Env):
    """Its brightness counts the shots at it; an episode has four steps."""

    observation_space = gym.spaces.Box(0, 255, (20, 30, 3), np.uint8)
    action_space = gym.spaces.Discrete(4)
    names = ("NOOP", "FIRE", "UPLEFT", "wait a bit")

    def get_action_meanings(self):
        return list(self.names)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = self.shots = 0
        return self._image(), {}

    def step(self, action):
        self.steps, self.shots = self.steps + 1, self.shots + (action == 1)
        return self._image(), float(action == 1), self.steps == 4, False, {}

    def _image(self):
        return np.full((20, 30, 3), 50 * self.shots, np.uint8)


gym.register("test/Lamp-v0", Lamp)
CONFIG = EnvConfig(game="test/Lamp-v0")
FREE = {"training": {"kind": "model_free"}, "model": {"kind": "frames"}, "agent": {"kind": "random"}}


def test_it_is_seen_as_agents_see_it_and_its_actions_have_keys():
    game = ForeignGame(CONFIG)
    assert game.action_keys == ((), ("fire",), ("up", "left"), ("button 3",))
    controls = Controls(game.action_keys, game.action_meanings)
    assert controls.keys_of_button["fire"] == ("space", "j", "1") and controls.keys_of_button["button 3"] == ("k", "2")
    assert game.reset(seed=0)[0].shape == (64, 64, 3)
    observation, reward, terminated, truncated, _ = game.step(1)
    assert (int(observation[0, 0, 0]), reward, terminated, truncated) == (50, 1.0, False, False)
    for _ in range(3):
        terminated = game.step(0)[2]
    assert terminated and not game.can_save
    assert game.reset()[0].max() == 0
    game.close()


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("CartPole-v1", r"'CartPole-v1' cannot be played here: .* Received vector float32 \(4,\) and one of 2 choices"),
        ("Pendulum-v1", "a box of 1 numbers from -2 to 2. Its policy can be measured: worldmodels eval"),
    ],
)
def test_what_cannot_be_shown_or_pressed_is_refused_at_the_door(tmp_path, game, text):
    config = from_dict(RunConfig, FREE | {"env": {"game": game}})
    run = RunDir.create(tmp_path / "run", config, {}).path
    with pytest.raises(UserError, match=text):
        play_runs([run], PlayOptions(headless=True, ticks=1, video=tmp_path / "play.mp4"))


def test_actions_without_names_are_numbered(monkeypatch):
    monkeypatch.delattr(Lamp, "get_action_meanings")
    game = ForeignGame(CONFIG)
    assert game.action_meanings == ("action 0", "action 1", "action 2", "action 3")
    assert len(Controls(game.action_keys, game.action_meanings).keys_of_button) == 4


def test_a_run_in_it_is_played_and_says_what_it_cannot_do(tmp_path):
    run = RunDir.create(tmp_path / "run", RunConfig(env=CONFIG), {}).path
    keys = tmp_path / "keys.txt"
    keys.write_text("0 tap space\n2 tap backspace\n")
    play_runs([run], PlayOptions(headless=True, keys=keys, video=tmp_path / "a.mp4", zoom=2))
    assert len(read_video(tmp_path / "a.mp4")) == 3
    with pytest.raises(UserError, match="Recordings are of native games, and the run's environment 'test/Lamp-v0'"):
        play_runs([run], PlayOptions(record=tmp_path / "a.jsonl", headless=True, keys=keys, video=tmp_path / "b.mp4"))


def test_an_environment_that_is_not_installed_is_named(tmp_path):
    run = RunDir.create(tmp_path / "run", RunConfig(env=EnvConfig(game="ALE/Pong-v5")), {}).path
    with pytest.raises(UserError, match="'ALE/Pong-v5'"):
        play_runs([run])


def test_an_environment_that_fails_in_the_player_is_named(tmp_path, monkeypatch):
    def step(self, action):
        raise SystemExit(3)

    monkeypatch.setattr(Lamp, "step", step)
    run = RunDir.create(tmp_path / "run", RunConfig(env=CONFIG), {}).path
    keys = tmp_path / "keys.txt"
    keys.write_text("0 tap space\n")
    with pytest.raises(UserError, match=r"Environment 0 \('test/Lamp-v0'\), step 1 of episode 1 failed: SystemExit: 3"):
        play_runs([run], PlayOptions(headless=True, keys=keys, video=tmp_path / "a.mp4", zoom=2))
