"""A person's play as experience to begin with."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.core.errors import ConfigError
from worldmodels.envs import EnvConfig, make
from worldmodels.recordings.action_recording import ActionRecording, RecordedEpisode, RecordingError, write_recording
from worldmodels.recordings.demonstrations import load_demonstrations

OPTIONS = {"num_levels": 2}


@pytest.fixture
def file(tmp_path):
    """Seven frames of one episode, and four of another."""
    episodes = [RecordedEpisode([7, 7, 8, 4, 1, 7]), RecordedEpisode([3, 3, 3])]
    write_recording(tmp_path / "play.jsonl", ActionRecording("coinrun", OPTIONS, 5, episodes))
    return str(tmp_path / "play.jsonl")


def test_demonstrations_are_divided_among_the_environments(file):
    assert len(load_demonstrations([file], EnvConfig(game="coinrun", num_envs=11))) == 1
    steps = load_demonstrations([file], EnvConfig(game="coinrun", num_envs=2))
    assert len(steps) == 5  # the eleventh frame is left over
    rows = zip(*((step.action, step.is_first, step.is_last) for step in steps), strict=True)
    actions, first, last = (np.stack(values, 1).tolist() for values in rows)
    assert actions == [[7, 7, 8, 4, 1], [7, 0, 3, 3, 3]]
    assert first == [[True, False, False, False, False], [True, False, True, False, False]]
    assert last == [[False] * 4 + [True], [False, True, False, False, True]]
    assert not any(step.is_terminal.any() for step in steps)
    env = make("coinrun", **OPTIONS)
    frames = [env.reset(seed=5)[0], *(env.step(action)[0] for action in (7, 7, 8, 4, 1, 7))]
    np.testing.assert_array_equal([step.observation[0] for step in steps], frames[:5])
    np.testing.assert_array_equal([step.observation[1] for step in steps[:2]], frames[5:])


def test_what_does_not_fit_is_named(file, tmp_path):
    with pytest.raises(ConfigError, match="was played in 'coinrun'; this run plays maze"):
        load_demonstrations([file], EnvConfig(game="maze"))
    with pytest.raises(ConfigError, match="distribution_mode 'easy'; this run has 'hard'"):
        load_demonstrations([file], EnvConfig(game="coinrun", distribution_mode="hard"))
    with pytest.raises(ConfigError, match="hold 11 frames.*env.num_envs = 12"):
        load_demonstrations([file], EnvConfig(game="coinrun", num_envs=12))
    (tmp_path / "bad.jsonl").write_text("{}")
    with pytest.raises(RecordingError, match="bad.jsonl"):
        load_demonstrations([str(tmp_path / "bad.jsonl")], EnvConfig(game="coinrun"))


def test_a_run_begins_with_demonstrations_and_learns_from_them(model_based, tmp_path):
    file = tmp_path / "maze.jsonl"
    write_recording(file, ActionRecording("maze", {}, 5, [RecordedEpisode([7, 1, 3, 5] * 2 + [1, 1])]))
    training = {"demonstrations": [str(file)], "prefill": 16, "collect": 8, "steps": 24, "fit": 1, "improve": 1}
    demonstrations = load_demonstrations([str(file)], EnvConfig(game="maze", num_envs=2))
    loop = model_based(training, demonstrations=demonstrations)
    loop.begin()
    assert loop._replay.span == range(5) and loop.step == 0
    while not loop.finished:
        loop.iterate()
    assert loop._replay.span == range(5 + 12) and loop.step == 24
