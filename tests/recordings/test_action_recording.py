"""Play on paper: what is written is read, and what is no recording is refused."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.recordings.action_recording import (
    ActionRecording,
    RecordedEpisode,
    RecordingError,
    box_action,
    frame_hash,
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


def test_native_games_are_written_as_they_always_were(played, tmp_path):
    write_recording(tmp_path / "a.jsonl", played)
    assert (
        (tmp_path / "a.jsonl")
        .read_text()
        .startswith(
            '{"worldmodels":"actions","version":1,"game":"coinrun","options":{"num_levels":3},"seed":7,"source":"runs/a",'
            '"checkpoint":1000}\n{"actions":[7,7,8],"seen":{"0":"90ab","3":"f00d"},'
        )
    )


def test_numbers_of_a_box_are_written_short_and_are_the_same_in_float32(tmp_path):
    numbers = np.array([0.1, 1 / 3, -7.0], np.float32)
    action = box_action(numbers)
    assert action == (0.1, 0.33333334, -1.0)
    np.testing.assert_array_equal(np.array(action[:2], np.float32), numbers[:2])
    episode = RecordedEpisode([action, (0.0, 1.0, -0.5)], {0: "11"})
    options = {"action_repeat": 2, "options": {"g": 9.0}}
    write_recording(tmp_path / "a", ActionRecording("Pendulum-v1", options, 7, [episode], box=3))
    again = read_recording(tmp_path / "a")
    assert (again.game, again.options, again.box, again.is_native) == ("Pendulum-v1", options, 3, False)
    assert again.episodes[0].actions == [(0.1, 0.33333334, -1.0), (0.0, 1.0, -0.5)]
    assert '"version":2' in (tmp_path / "a").read_text()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ("[[0.5]]", "line 2: an action has 2 numbers here; received 1 at step 1"),
        ("[[0.5, 0], [1.5, 0]]", "line 2: actions must be between -1.0 and 1.0"),
        ("[3]", "line 2: 'actions' takes a list of items, each a list of numbers; received"),
    ],
)
def test_actions_that_are_no_points_of_the_box_are_told(actions, message, tmp_path):
    write_recording(tmp_path / "a", ActionRecording("x", {}, 7, [], box=2))
    with (tmp_path / "a").open("a") as file:
        file.write(f'{{"actions": {actions}, "seen": {{}}, "events": []}}\n')
    with pytest.raises(RecordingError, match=message):
        read_recording(tmp_path / "a")


def test_other_environments_may_have_any_number_of_choices(tmp_path):
    write_recording(tmp_path / "a", ActionRecording("ALE/Pong-v5", {}, 7, [RecordedEpisode([17, 40])]))
    assert read_recording(tmp_path / "a").episodes[0].actions == [17, 40]


def test_dictionaries_are_hashed_part_by_part():
    a, b = np.arange(3, dtype=np.float32), np.arange(2, dtype=np.uint8)
    assert frame_hash({"a": a, "b": b}) == frame_hash({"a": a.copy(), "b": b}) != frame_hash({"a": a, "b": b + 1})
    assert frame_hash({"": a}) == frame_hash(a)
