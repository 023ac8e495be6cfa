from __future__ import annotations

import pytest

from worldmodels.player.controls import Command, Controls, KeyEvent

PROCGEN_BUTTONS = (
    *(("left", "down"), ("left",), ("left", "up"), ("down",), (), ("up",)),
    *(("right", "down"), ("right",), ("right", "up"), ("d",), ("a",), ("w",), ("s",), ("q",), ("e",)),
)
MOVES = ("left down", "left", "left up", "down", "stand still", "up", "right down", "right", "right up")
LEFT_DOWN, LEFT, LEFT_UP, DOWN, STAND, UP, RIGHT_DOWN, RIGHT, RIGHT_UP, SPECIAL_D, SPECIAL_A, SPECIAL_W = range(12)


def controls_of(*specials):
    meanings = (*MOVES, *specials, *["nothing"] * (6 - len(specials)))
    return Controls(PROCGEN_BUTTONS, meanings)


def press(controls, *keys):
    for key in keys:
        assert controls.handle(KeyEvent(key, True)) is None


def release(controls, *keys):
    for key in keys:
        assert controls.handle(KeyEvent(key, False)) is None


@pytest.mark.parametrize(
    ("keys", "action"),
    [
        ([], STAND),
        (["left"], LEFT),
        (["a"], LEFT),
        (["d"], RIGHT),
        (["w"], UP),
        (["s"], DOWN),
        (["right", "up"], RIGHT_UP),
        (["w", "right"], RIGHT_UP),
        (["a", "s"], LEFT_DOWN),
        (["left", "right"], RIGHT),  # the newer of two that contradict each other
        (["right", "left"], LEFT),
        (["space"], SPECIAL_D),
        (["j"], SPECIAL_D),
        (["1"], SPECIAL_D),
        (["k"], SPECIAL_A),
        (["2"], SPECIAL_A),
        (["right", "space"], SPECIAL_D),  # specials win over moves
        (["space", "right"], SPECIAL_D),
        (["3"], STAND),  # the third special action does nothing here, so the key is free
    ],
)
def test_held_keys_mean_an_action(keys, action):
    controls = controls_of("fire ahead", "fire behind")
    press(controls, *keys)
    assert controls.action == action


def test_specials_that_do_nothing_are_passed_over():
    controls = controls_of("nothing", "nothing", "dig")
    press(controls, "space")
    assert controls.action == SPECIAL_W
    assert controls.help()[-1] == ("Space J 1", "dig")


def test_a_released_key_no_longer_counts():
    controls = controls_of()
    press(controls, "right", "up")
    controls.end_tick()
    release(controls, "right")
    assert controls.action == UP


def test_a_tap_within_one_tick_counts_for_that_tick():
    controls = controls_of()
    press(controls, "up")
    release(controls, "up")
    assert controls.action == UP
    assert controls.touched
    controls.end_tick()
    assert controls.action == STAND
    assert not controls.touched


def test_a_key_repeats_only_when_held_for_five_ticks():
    controls = controls_of()
    press(controls, "up")
    repeats = []
    for _ in range(7):
        repeats.append(controls.repeats)
        controls.end_tick()
    assert repeats == [False, False, False, False, False, True, True]


def test_command_keys_act_when_they_go_down():
    controls = controls_of()
    assert controls.handle(KeyEvent("x", True)) is Command.PUT_BACK
    assert controls.handle(KeyEvent("x", False)) is None
    assert controls.handle(KeyEvent("?", True)) is Command.HELP
    assert controls.handle(KeyEvent("f7", True)) is None


def test_losing_the_keyboard_lets_go_of_everything():
    controls = controls_of()
    press(controls, "right")
    controls.release_all()
    assert controls.action == STAND


def test_the_help_lists_what_does_something():
    assert controls_of("fire").help() == [
        ("← A", "left"),
        ("→ D", "right"),
        ("↑ W", "up"),
        ("↓ S", "down"),
        ("Space J 1", "fire"),
    ]


def test_a_game_without_diagonals_takes_the_newest_direction():
    controls = Controls([(), ("left",), ("right",), ("up",)], ["stay", "left", "right", "jump"])
    press(controls, "right", "up")
    assert controls.action == 3
