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
    with pytest.raises(RecordingError, match=r"is damaged: '.*a\.jsonl', line 3 is not JSON"):
        read_recording(path)
    path.write_text("\n".join([*lines[:2], '{"actions": [1]}']))
    with pytest.raises(RecordingError, match=r"is damaged: '.*a\.jsonl', line 3: the key 'seen' has no default"):
        read_recording(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('"actions": [15], "seen": {}, "events": []', "line 2: actions must be between 0 and 14"),
        ('"actions": [1e999], "seen": {}, "events": []', "line 2 is not JSON: the number '1e999'"),
        ('"actions": [Infinity], "seen": {}, "events": []', "line 2 is not JSON: Infinity is no number of JSON"),
        ('"actions": "7", "seen": {}, "events": []', "line 2: 'actions' takes a list of integers; received '7'"),
        ('"actions": [7], "seen": {"2": "a"}, "events": []', "'seen' are numbers of steps from 0 to 1; received '2'"),
        ('"actions": [7], "seen": {"²": "a"}, "events": []', "numbers of steps from 0 to 1; received '²'"),
        ('"actions": [7], "seen": {"1": 5}, "events": []', "'seen' takes keys and values, each text; received"),
        ('"actions": [7], "seen": {}, "events": 5', "'events' takes a list of .*; received 5"),
    ],
)
def test_values_of_other_types_are_told(line, message, played, tmp_path):
    path = tmp_path / "a.jsonl"
    write_recording(path, played)
    path.write_text(path.read_text().splitlines()[0] + "\n{" + line + "}\n")
    with pytest.raises(RecordingError, match=message):
        read_recording(path)


@pytest.mark.parametrize("text", ["", "hello", "[1]", '{"worldmodels": "actions", "version": 9}'])
def test_other_files_are_refused(text, tmp_path):
    (tmp_path / "a").write_text(text)
    with pytest.raises(RecordingError, match="'.*a'"):
        read_recording(tmp_path / "a")
    with pytest.raises(RecordingError, match="Cannot read"):
        read_recording(tmp_path / "absent")
