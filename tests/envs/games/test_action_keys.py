"""The table of keys: where buttons lie, and what actions are called by them."""

from __future__ import annotations

from worldmodels.envs.games.action_keys import key_label, lay_out, signs

BUTTONS = [(), ("LEFT",), ("left", "up"), ("a",), ("b",), ("c",), ("d",), ("up", "a")]
MEANINGS = ["stay", "left", "left and up", "dig", "nothing", "dig", "sing", "up and dig"]


def test_special_actions_take_the_next_free_keys_and_repeated_ones_none():
    assert lay_out(BUTTONS, MEANINGS) == {
        "left": ("left", "a"),
        "up": ("up", "w"),
        "a": ("space", "j", "1"),
        "d": ("k", "2"),
    }


def test_an_action_is_called_by_an_arrow_or_by_the_key_that_takes_it():
    assert signs(BUTTONS, MEANINGS, lay_out(BUTTONS, MEANINGS)) == ("·", "←", "↖", "J", "·", "J", "K", "↑J")


def test_actions_beyond_the_last_key_are_called_nothing():
    buttons, meanings = [("a",), ("b",)], ["dig", "sing"]
    layout = lay_out(buttons, meanings, specials=(("return",),))
    assert layout == {"a": ("return",), "b": ()}
    assert signs(buttons, meanings, layout) == ("Enter", "")


def test_keys_have_names_for_people():
    assert [key_label(key) for key in ("a", "left", "shift+f1", "alt+return", "+", "=")] == [
        *("A", "←", "Shift F1", "Alt Enter", "+", "=")
    ]
