"""A policy is shown in any environment: printed, filmed, in a window that can be closed."""

from __future__ import annotations

import pygame
import pytest

import worldmodels
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.evaluation.playing.episode_film import play_episodes
from worldmodels.player import policy_show
from worldmodels.player.policy_show import ShowOptions, show_policy
from worldmodels.telemetry.video import read_video


@pytest.fixture(scope="module")
def cartpole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "cartpole"
    settings = {"schedule.evaluate_every": 0, "training.steps": 80}
    return worldmodels.train("CartPole-v1", "debug_ppo", settings, folder)


def test_episodes_are_printed_and_repeat(cartpole, capsys):
    episodes = show_policy(cartpole, ShowOptions(episodes=2, seed=5))
    printed = capsys.readouterr().out.splitlines()
    assert [round(episode.total) for episode in episodes] == [episode.steps for episode in episodes]  # 1 a step
    assert printed[0] == f"episode   1: return {episodes[0].total:9.2f}, {episodes[0].steps} steps"
    assert printed[2].startswith(f"2 episodes: mean return {(episodes[0].total + episodes[1].total) / 2:.2f}, 95 %")
    assert show_policy(cartpole, ShowOptions(episodes=2, seed=5)) == episodes
    assert show_policy(cartpole, ShowOptions(episodes=2, seed=6)) != episodes


def test_a_film_holds_every_step(cartpole, tmp_path):
    (episode,) = show_policy(cartpole, ShowOptions(episodes=1, max_steps=3, video=tmp_path / "film.mp4"))
    assert (episode.steps, episode.ended) == (3, False)
    film = read_video(tmp_path / "film.mp4")
    assert len(film) == 4  # before the first step, and after each
    assert film.shape[2:] == (600, 3) and film.std() > 10


def test_a_native_game_is_filmed_as_people_see_it(tmp_path):
    run = worldmodels.train("maze", "debug_ppo", {"schedule.evaluate_every": 0, "training.steps": 80}, tmp_path / "run")
    show_policy(run, ShowOptions(episodes=1, max_steps=2, temperature=0.0, video=tmp_path / "film.gif"))
    assert (tmp_path / "film.gif").stat().st_size > 1000


@pytest.fixture(scope="module")
def maze(tmp_path_factory):
    settings = {"schedule.evaluate_every": 0, "training.steps": 80, "env.num_levels": 3, "env.start_level": 40}
    return worldmodels.train("maze", "debug_ppo", settings, tmp_path_factory.mktemp("runs") / "maze")


def test_many_are_shown_at_once(maze, tmp_path, capsys):
    episodes = show_policy(maze, ShowOptions(episodes=5, max_steps=2, together=3, video=tmp_path / "film.mp4"))
    assert len(episodes) == 5  # two rounds of three, of which the last does not count
    film = read_video(tmp_path / "film.mp4")
    assert film.shape == (6, 1050, 1028, 3) or film.shape[0] == 6
    assert film[0, 600:, 600:].std() < 3  # two rows of two: the last place stays empty
    assert capsys.readouterr().out.splitlines()[5].endswith("2.0 steps, training levels 40 to 42")


@pytest.mark.parametrize(
    ("options", "seeds"),
    [
        (ShowOptions(episodes=8, max_steps=1, together=8), {40, 41, 42}),
        (ShowOptions(episodes=8, max_steps=1, together=8, num_levels=1), {40}),
        (ShowOptions(episodes=8, max_steps=1, together=8, levels="test", num_levels=2), {43, 44}),
    ],
)
def test_the_levels_that_are_asked_for_are_played(maze, monkeypatch, options, seeds):
    played = set()

    def play(env, actor, seed, max_steps):
        played.update(env.reset(seed=seed)[1]["level_seed"].tolist())
        yield from play_episodes(env, actor, seed, max_steps)

    monkeypatch.setattr(policy_show, "play_episodes", play)
    show_policy(maze, options)
    assert played == seeds


def test_levels_that_there_are_not_are_refused(cartpole, maze):
    with pytest.raises(ConfigError, match="The run has 3 training levels: so many, or fewer, .* Received 4"):
        show_policy(maze, ShowOptions(num_levels=4))
    with pytest.raises(ConfigError, match="must be 0, for all of them, or more. Received -1"):
        show_policy(maze, ShowOptions(num_levels=-1))
    with pytest.raises(ConfigError, match="Only native games have numbered levels, and 'CartPole-v1' is none"):
        show_policy(cartpole, ShowOptions(num_levels=4))
    with pytest.raises(ConfigError, match="There are no test levels"):
        show_policy(cartpole, ShowOptions(levels="test"))
    with pytest.raises(ConfigError, match="Unknown level set 'tests'. Did you mean 'test'"):
        show_policy(maze, ShowOptions(levels="tests"))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="'together' must be at least 1. Received 0"):
        ShowOptions(together=0)


def test_a_window_shows_it_until_it_is_closed(cartpole, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pressed = []

    def get():
        pressed.append(True)
        return [pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE)] if len(pressed) == 4 else []

    monkeypatch.setattr(pygame.event, "get", get)
    assert show_policy(cartpole, ShowOptions(episodes=2, window=True, rate=200)) == []
    assert len(pressed) == 4


def test_what_cannot_be_shown_is_refused(cartpole, tmp_path):
    with pytest.raises(ConfigError, match="'episodes' must be at least 1. Received 0"):
        ShowOptions(episodes=0)
    with pytest.raises(ConfigError, match="temperature must be from 0 to 10. Received -1"):
        ShowOptions(temperature=-1.0)
    with pytest.raises(UserError, match="There is no"):
        show_policy(tmp_path / "nothing")
    still = worldmodels.train("maze", "debug_ppo", {"agent": {"kind": "random"}, "training.steps": 40}, tmp_path / "r")
    with pytest.raises(UserError, match="trains no policy"):
        show_policy(still)
