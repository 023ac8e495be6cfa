"""A recording that is played again shows what was seen, or says from where on it does not."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.envs import EnvConfig, make
from worldmodels.recordings.action_recording import (
    ActionRecording,
    RecordedEpisode,
    RecordingError,
    frame_hash,
    kept_hashes,
)
from worldmodels.recordings.action_replay import SingleEnv, recorded_options, replay_actions, verify_recording

GAME, OPTIONS = "starpilot", {"distribution_mode": "easy", "num_levels": 3}
RIGHT = 7


@pytest.fixture(scope="module")
def lived():
    """Two episodes of flying right, the second one cut short: the recording, and every frame."""
    env, episodes, frames = make(GAME, **OPTIONS), [], []
    for length in (200, 20):
        frames.append(env.reset(seed=None if episodes else 7)[0])
        hashes, ended = [frame_hash(frames[-1])], False
        while not ended and len(hashes) <= length:
            observation, _, terminated, truncated, _ = env.step(RIGHT)
            ended = terminated or truncated
            frames.append(observation)
            hashes.append(frame_hash(observation, hashes[-1]))
        episodes.append(RecordedEpisode([RIGHT] * (len(hashes) - 1), kept_hashes(hashes)))
    return ActionRecording(GAME, OPTIONS, 7, episodes), np.stack(frames)


def test_every_moment_is_seen_again(lived):
    played, frames = lived
    moments = list(replay_actions(played))
    np.testing.assert_array_equal([moment.observation for moment in moments], frames)
    first = [moment for moment in moments if moment.episode == 1]
    assert [moment.step for moment in first] == list(range(len(first)))
    assert first[0].reward == 0 and first[0].action == RIGHT
    assert first[-1].action is None and (first[-1].terminated or first[-1].truncated)
    assert not any(moment.terminated or moment.truncated for moment in moments if moment.episode == 2)


def test_another_action_is_found(lived):
    played, _ = lived
    cut = played.episodes[1]
    for step, said in ((2, "up to step 0, and no more at step 16"), (18, "up to step 16, and no more at step 20")):
        actions = list(cut.actions)
        actions[step] = 1
        changed = replace(played, episodes=[played.episodes[0], replace(cut, actions=actions)])
        with pytest.raises(RecordingError, match=f"'here', episode 2: agrees {said}"):
            verify_recording(changed, "here")


def test_an_action_that_the_game_does_not_have_is_found(lived):
    played, _ = lived
    bad = replace(played, episodes=[RecordedEpisode([RIGHT, RIGHT, 99])])
    with pytest.raises(RecordingError, match="episode 1, step 3: an action must be from 0 to 14. Received 99"):
        verify_recording(bad)


def test_a_recording_that_goes_on_after_the_end_is_found(lived):
    played, _ = lived
    length = len(played.episodes[0].actions)
    longer = replace(played, episodes=[RecordedEpisode([RIGHT] * (length + 1))])
    with pytest.raises(RecordingError, match=f"ended after step {length}, the recording goes on"):
        verify_recording(longer)


PENDULUM = EnvConfig(game="Pendulum-v1", action_repeat=2, num_envs=4, workers=2)


@pytest.fixture(scope="module")
def swung():
    """A recording of Pendulum, whose actions are numbers."""
    env, actions = SingleEnv(PENDULUM), [(0.25,), (-1.0,), (0.5,)] * 6
    hashes = [frame_hash(env.reset(seed=3)[0])]
    for action in actions:
        hashes.append(frame_hash(env.step(action)[0], hashes[-1]))
    env.close()
    episode = RecordedEpisode(actions, kept_hashes(hashes))
    return ActionRecording("Pendulum-v1", recorded_options(PENDULUM), 3, [episode], box=1)


def test_other_environments_are_played_again_with_their_options(swung):
    assert swung.options == {"action_repeat": 2}
    steps = list(replay_actions(swung))
    assert len(steps) == 19 and steps[1].observation.shape == (3,) and steps[0].action == (0.25,)
    with pytest.raises(RecordingError, match="agrees up to step 0, and no more at step 16"):
        verify_recording(replace(swung, options={}))


def test_actions_of_another_size_or_kind_are_told(swung):
    for actions, said in (([(0.5, 0.5)], "must be 1 numbers. Received 2"), ([3], "must be 1 numbers. Received 0")):
        with pytest.raises(RecordingError, match=f"episode 1, step 1: an action {said}"):
            verify_recording(replace(swung, episodes=[RecordedEpisode(actions)]))
    cart = ActionRecording("CartPole-v1", {}, 3, [RecordedEpisode([2])])
    with pytest.raises(RecordingError, match="an action must be from 0 to 1. Received 2"):
        verify_recording(cart)


def test_options_of_no_environment_are_told(swung):
    with pytest.raises(RecordingError, match="is damaged: 'here', line 1: .*action_repeats"):
        verify_recording(replace(swung, options={"action_repeats": 2}), "here")


@pytest.mark.parametrize(
    ("game", "options"),
    [("this:CartPole-v1", {}), ("CartPole-v1", {"game": "this:CartPole-v1"}), ("a:b:CartPole-v1", {})],
)
def test_a_file_alone_never_imports_a_module(monkeypatch, game, options):
    imported = []
    monkeypatch.setattr("worldmodels.envs.foreign.adapters.import_module", imported.append)
    with suppress(UserError):
        verify_recording(ActionRecording(game, options, 3, [RecordedEpisode([0])]), "here")
    assert not imported


def test_a_module_is_imported_if_its_game_is_named(monkeypatch):
    played, imported = ActionRecording("this:CartPole-v1", {}, 3, [RecordedEpisode([0])]), []
    with pytest.raises(UserError, match="If you trust it: worldmodels replay here --game this:CartPole-v1"):
        verify_recording(played, "here", "CartPole-v1")
    monkeypatch.setattr("worldmodels.envs.foreign.adapters.import_module", imported.append)
    verify_recording(played, "here", "this:CartPole-v1")
    assert set(imported) == {"this"}
