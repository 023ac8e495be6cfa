from __future__ import annotations

import pytest

from worldmodels.player.session.controls.key_table import Command
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.events import KeyEvent

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
    assert controls.choose() == action


def test_specials_that_do_nothing_are_passed_over():
    controls = controls_of("nothing", "nothing", "dig")
    press(controls, "space")
    assert controls.choose() == SPECIAL_W
    assert controls.help()[-2] == ("Space J 1", "dig")


def test_specials_that_do_the_same_share_the_keys_of_the_first():
    controls = controls_of("fire ahead", "fire behind", "fire ahead", "fire ahead")
    assert controls.help()[-3:-1] == [("Space J 1", "fire ahead"), ("K 2", "fire behind")]


def test_a_special_and_a_move_held_together_take_turns():
    controls = controls_of("fire")
    actions = []
    for keys in (["right"], ["space"], [], [], ["up"], []):
        press(controls, *keys)
        actions.append(controls.choose())
        controls.end_tick()
    assert actions == [RIGHT, SPECIAL_D, RIGHT, SPECIAL_D, RIGHT_UP, SPECIAL_D]


def test_a_tapped_special_is_never_passed_over():
    controls = controls_of("fire")
    press(controls, "right")
    actions = []
    for _ in range(3):
        press(controls, "space")
        release(controls, "space")
        actions.append(controls.choose())
        controls.end_tick()
    assert actions == [SPECIAL_D] * 3


def test_an_action_may_mean_a_special_and_a_move():
    controls = Controls([(), ("left",), ("fire",), ("left", "fire")], ["stay", "left", "fire", "left and fire"])
    press(controls, "left", "space")
    actions = []
    for _ in range(3):
        actions.append(controls.choose())
        controls.end_tick()
    assert actions == [3, 3, 3]


def test_a_released_key_no_longer_counts():
    controls = controls_of()
    press(controls, "right", "up")
    controls.end_tick()
    release(controls, "right")
    assert controls.choose() == UP


def test_a_tap_within_one_tick_counts_for_that_tick():
    controls = controls_of()
    press(controls, "up")
    release(controls, "up")
    assert controls.choose() == UP
    assert controls.touched
    controls.end_tick()
    assert controls.choose() == STAND
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
    assert controls.handle(KeyEvent("f12", True)) is None


def test_losing_the_keyboard_lets_go_of_everything():
    controls = controls_of()
    press(controls, "right")
    controls.release_all()
    assert controls.choose() == STAND


def test_the_help_lists_what_does_something():
    assert controls_of("fire").help() == [
        ("← A", "left"),
        ("→ D", "right"),
        ("↑ W", "up"),
        ("↓ S", "down"),
        ("Space J 1", "fire"),
        ("Gamepad", "cross or stick, and buttons"),
    ]


def test_a_game_without_diagonals_takes_the_newest_direction():
    controls = Controls([(), ("left",), ("right",), ("up",)], ["stay", "left", "right", "jump"])
    press(controls, "right", "up")
    assert controls.choose() == 3
