"""Play on paper: what is written is read, and what is no recording is refused."""

from __future__ import annotations

import pytest

from worldmodels.runtime.action_recording import (
    ActionRecording,
    RecordedEpisode,
    RecordingError,
    kept_hashes,
    read_recording,
    write_recording,
)


@pytest.fixture
def played():
    episodes = [
        RecordedEpisode([7, 7, 8], {0: "90ab", 3: "f00d"}, [[2, "put back"], [3, "sample", 4]]),
        RecordedEpisode([], {0: "11"}),
    ]
    return ActionRecording("coinrun", {"num_levels": 3}, 7, episodes, "runs/a", 1000)


def test_what_is_written_is_read(played, tmp_path):
    write_recording(tmp_path / "a.jsonl", played)
    again = read_recording(tmp_path / "a.jsonl")
    assert (again.game, again.options, again.seed) == ("coinrun", {"num_levels": 3}, 7)
    assert (again.source, again.checkpoint) == ("runs/a", 1000)
    assert [episode.actions for episode in again.episodes] == [[7, 7, 8], []]
    assert again.episodes[0].seen == {0: "90ab", 3: "f00d"}
    assert again.episodes[0].events == [[2, "put back"], [3, "sample", 4]]


def test_hashes_are_kept_now_and_then_and_at_the_end():
    assert kept_hashes(["a"]) == {0: "a"}
    assert list(kept_hashes([str(step) for step in range(21)]).items()) == [(0, "0"), (16, "16"), (20, "20")]
    assert list(kept_hashes([str(step) for step in range(17)])) == [0, 16]


def test_a_damaged_line_is_named(played, tmp_path):
    path = tmp_path / "a.jsonl"
    write_recording(path, played)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], lines[2][:10]]))
    with pytest.raises(RecordingError, match="damaged in line 3"):
        read_recording(path)
    path.write_text("\n".join([*lines[:2], '{"actions": [1]}']))
    with pytest.raises(RecordingError, match="is damaged: 'seen'"):
        read_recording(path)


@pytest.mark.parametrize("text", ["", "hello", "[1]", '{"worldmodels": "actions", "version": 9}'])
def test_other_files_are_refused(text, tmp_path):
    (tmp_path / "a").write_text(text)
    with pytest.raises(RecordingError, match="'.*a'"):
        read_recording(tmp_path / "a")
    with pytest.raises(RecordingError, match="Cannot read"):
        read_recording(tmp_path / "absent")
