from __future__ import annotations

import json

import numpy as np
import pytest

from worldmodels.envs import make
from worldmodels.runtime.action_file import (
    ActionFileError,
    Played,
    PlayedEpisode,
    fingerprint,
    is_checked,
    read_played,
    verify,
    write_played,
)

OPTIONS = {"distribution_mode": "easy", "num_levels": 3}


@pytest.fixture
def played():
    """Two episodes of random actions, the second one cut short."""
    env, generator, episodes = make("coinrun", **OPTIONS), np.random.default_rng(0), []
    for i, length in enumerate((40, 20)):
        observation, _ = env.reset(seed=7 if i == 0 else None)
        hashed = fingerprint(observation)
        actions, seen = [], {0: hashed}
        for step in range(1, length + 1):
            actions.append(int(generator.integers(15)))
            observation, _, terminated, _, _ = env.step(actions[-1])
            hashed = fingerprint(observation, hashed)
            if is_checked(step, terminated):
                seen[step] = hashed
            if terminated:
                break
        episodes.append(PlayedEpisode(actions, seen, [[3, "put back"]]))
    return Played("coinrun", OPTIONS, 7, episodes, "runs/a", 1000)


def test_what_is_written_is_read_and_agrees_with_the_game(played, tmp_path):
    write_played(tmp_path / "a.jsonl", played)
    again = read_played(tmp_path / "a.jsonl")
    assert again == played
    verify(again)
    assert (tmp_path / "a.jsonl").stat().st_size < 1500


def test_a_damaged_recording_says_where_it_stops_agreeing(played, tmp_path):
    path = tmp_path / "a.jsonl"
    write_played(path, played)
    lines = path.read_text().splitlines()
    second = json.loads(lines[2])
    second["actions"][2] = (second["actions"][2] + 3) % 9
    path.write_text("\n".join([*lines[:2], json.dumps(second)]))
    with pytest.raises(ActionFileError, match="episode 2: agrees up to step 0, and no more at step 16"):
        verify(read_played(path), path)
    second["actions"][2] = 99
    path.write_text("\n".join([*lines[:2], json.dumps(second)]))
    with pytest.raises(ActionFileError, match="step 3: an action must be from 0 to 14. Received 99"):
        verify(read_played(path), path)
    path.write_text("\n".join([*lines[:2], lines[2][:30]]))
    with pytest.raises(ActionFileError, match="damaged in line 3"):
        read_played(path)
    path.write_text("\n".join([*lines[:2], '{"actions": [1]}']))
    with pytest.raises(ActionFileError, match="is damaged: 'seen'"):
        read_played(path)


@pytest.mark.parametrize("text", ["", "hello", "[1]", '{"worldmodels": "actions", "version": 9}'])
def test_other_files_are_refused(text, tmp_path):
    (tmp_path / "a").write_text(text)
    with pytest.raises(ActionFileError, match="'.*a'"):
        read_played(tmp_path / "a")
    with pytest.raises(ActionFileError, match="Cannot read"):
        read_played(tmp_path / "absent")
