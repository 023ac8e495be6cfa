from __future__ import annotations

import pytest

from worldmodels.player.session.controls.key_script import KeyScriptError, read_script
from worldmodels.player.session.events import KeyEvent


def write(folder, text):
    path = folder / "keys.txt"
    path.write_text(text)
    return path


def test_events_of_each_tick(tmp_path):
    script = read_script(write(tmp_path, "# walk\n0 press right up\n\n3 release right # stop\n3 tap x\n"))
    assert script == {
        0: [KeyEvent("right", True), KeyEvent("up", True)],
        3: [KeyEvent("right", False), KeyEvent("x", True), KeyEvent("x", False)],
    }


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("5 press rigth", ["line 2", "Unknown key 'rigth'", "Did you mean 'right'?", "space"]),
        ("5 pres right", ["line 2", "Unknown event 'pres'", "Did you mean 'press'?"]),
        ("soon press right", ["line 2", "whole number", "'soon'"]),
        ("-1 press right", ["line 2", "whole number", "'-1'"]),
        ("1000000 press right", ["line 2", "whole number from 0 to 999999", "'1000000'"]),
        ("5 press", ["line 2", "TICK press|release|tap KEY"]),
        ("2 press up", ["line 2", "backwards", "Received 2 after 4"]),
    ],
)
def test_a_mistake_names_the_line_and_what_is_allowed(tmp_path, line, words):
    with pytest.raises(KeyScriptError) as error:
        read_script(write(tmp_path, f"4 tap x\n{line}\n"))
    for word in [*words, "keys.txt", line]:
        assert word in str(error.value)


@pytest.mark.parametrize("tick", ["9" * 300, "9" * 5000, "1" * 10**5])
def test_absurd_ticks_are_told_in_short(tmp_path, tick):
    with pytest.raises(KeyScriptError, match="whole number from 0 to 999999") as error:
        read_script(write(tmp_path, f"{tick} tap x\n"))
    assert len(str(error.value)) < 500


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(KeyScriptError, match=r"absent\.txt"):
        read_script(tmp_path / "absent.txt")


def test_a_key_with_a_space_in_its_name_has_a_line_there(tmp_path):
    path = tmp_path / "keys.txt"
    path.write_text("3 press page_down\n")
    assert read_script(path) == {3: [KeyEvent("page down", True)]}
