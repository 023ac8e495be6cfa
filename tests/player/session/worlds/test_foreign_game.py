"""The player with an environment that is not one of ours."""

from __future__ import annotations

import sys

import gymnasium as gym
import numpy as np
import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.errors import UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.envs import EnvConfig
from worldmodels.player.app import play_game, play_runs
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.game_setup import set_up_run
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.worlds.foreign_game import ForeignGame
from worldmodels.player.session.worlds.real_world import RealWorld
from worldmodels.recordings.action_recording import read_recording
from worldmodels.recordings.action_replay import verify_recording
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
    assert game.rules.endswith("Nothing can be taken back: nobody here knows how to save 'Lamp'.")
    assert game.reset()[0].max() == 0
    game.close()


def test_what_can_be_saved_is_rewound_to_the_same_pictures():
    world = RealWorld(ForeignGame(EnvConfig(game="CartPole-v1", pixels="only")), seed=3)
    world.reset()
    for action in (0, 1, 1):
        world.step(action)
    saved, shown, branches = world.save(), world.observation, []
    for actions in ((1, 1, 0), (0, 0, 0), (1, 1, 0)):
        world.load(saved)
        np.testing.assert_array_equal(world.observation, shown)
        for action in actions:
            world.step(action)
        branches.append(world.observation.tobytes())
    assert branches[0] == branches[2] != branches[1]


class Stack(Lamp):
    """Shows images of four channels."""

    observation_space = gym.spaces.Box(0, 255, (20, 30, 4), np.uint8)


gym.register("test/Stack-v0", Stack)


def test_what_cannot_be_shown_is_refused_at_the_door(tmp_path):
    config = from_dict(RunConfig, FREE | {"env": {"game": "test/Stack-v0"}})
    run = RunDir.create(tmp_path / "run", config, {}).path
    with pytest.raises(
        UserError, match=r"The player cannot show 'test/Stack-v0': .* Received image uint8 \(64, 64, 4\)"
    ):
        play_runs([run], PlayOptions(headless=True, steps=1, video=tmp_path / "play.mp4"))


def test_numbers_are_played_and_the_environment_draws_itself(tmp_path):
    game = ForeignGame(EnvConfig(game="Pendulum-v1"))
    assert (game.action_keys, game.action_meanings, game.action_spec.size) == ((), ("action 0",), 1)
    observation, _ = game.reset(seed=0)
    assert observation.shape == (3,) and game.render().shape == (500, 500, 3)
    state, before = game.get_state(), game.render()
    game.step((1.0,))
    game.set_state(state)
    assert game.can_save and game.rules == "A Gymnasium environment." and game.render().shape == before.shape
    game.close()


PUSHED = [(1.0,)] * 6 + [(0.0,)] + [(-1.0,)] * 2 + [(0.0,)]
GAMES = [("Pendulum-v1", "0 press right\n6 release right\n7 press left\n9 release left\n", PUSHED)]
GAMES += [("CartPole-v1", "0 tap k\n2 tap k\n4 tap k\n6 tap k\n8 tap k\n", [1, 0] * 5)]
"""What is played, keys of 10 steps, and the actions that they mean."""


@pytest.mark.parametrize(("name", "pressed", "actions"), GAMES)
def test_numbers_are_recorded_taken_back_verified_and_played_by_a_script(tmp_path, name, pressed, actions):
    keys, record = tmp_path / "keys.txt", tmp_path / "a.jsonl"
    keys.write_text(f"{pressed}10 tap c\n11 tap backspace\n12 tap v\n13 tap c\n")  # and a step more
    play_game(name, PlayOptions(headless=True, key_script=keys, video=tmp_path / "a.mp4", zoom=1, record=record))
    played = read_recording(record)
    (episode,) = played.episodes
    assert episode.actions == actions
    verify_recording(played)
    options = {"script": record, "record": tmp_path / "b.jsonl", "steps": 10, "zoom": 1}
    play_game(name, PlayOptions(headless=True, video=tmp_path / "b.mp4", **options))
    again = read_recording(tmp_path / "b.jsonl")
    assert (again.seed, again.episodes[0].actions) == (played.seed, episode.actions)
    with pytest.raises(UserError, match=f"is of the game '{name}'. Received the game 'test/Lamp-v0'"):
        play_game("test/Lamp-v0", PlayOptions(headless=True, video=tmp_path / "b.mp4", **options))


def test_actions_without_names_are_numbered(monkeypatch):
    monkeypatch.delattr(Lamp, "get_action_meanings")
    game = ForeignGame(CONFIG)
    assert game.action_meanings == ("action 0", "action 1", "action 2", "action 3")
    assert len(Controls(game.action_keys, game.action_meanings).keys_of_button) == 4


def test_a_run_in_it_is_played_and_says_what_it_cannot_do(tmp_path):
    run = RunDir.create(tmp_path / "run", RunConfig(env=CONFIG), {}).path
    keys = tmp_path / "keys.txt"
    keys.write_text("0 tap space\n2 tap backspace\n")
    record = tmp_path / "a.jsonl"
    play_runs([run], PlayOptions(headless=True, key_script=keys, video=tmp_path / "a.mp4", zoom=2, record=record))
    assert len(read_video(tmp_path / "a.mp4")) == 3
    assert read_recording(record).episodes[0].actions == [1, 0]  # nothing was taken back, since nothing could be


def test_an_environment_that_is_not_installed_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ale_py", None)
    monkeypatch.delitem(gym.registry, "ALE/Pong-v5", raising=False)
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
        play_runs([run], PlayOptions(headless=True, key_script=keys, video=tmp_path / "a.mp4", zoom=2))


def test_what_was_given_in_python_is_not_recorded():
    with pytest.raises(UserError, match="'python:Lamp' was given in Python without an id"):
        set_up_run(EnvConfig(game="python:Lamp"), PlayOptions(record="a.jsonl"))
