"""The controls of a box of actions: pairs of keys, sliders, mouse and gamepad."""

from __future__ import annotations

import pytest
from keys import down, tap

from worldmodels.core.specs import ActionSpec
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_table import Command
from worldmodels.player.session.events import AxisEvent, KeyEvent, StickEvent


def box(numbers, low=-1.0, high=1.0):
    names = [f"action {number}" for number in range(numbers)]
    return BoxControls(ActionSpec(low=(low,) * numbers, high=(high,) * numbers), names)


def press(controls, *events):
    for event in events:
        controls.handle(event)
    return controls.choose()


def test_a_pair_of_keys_pushes_each_number_and_lets_it_go():
    controls = box(3)
    assert press(controls) == (0.0, 0.0, 0.0) == controls.idle
    assert press(controls, *down("right", "s", "l")) == (1.0, -1.0, 1.0)
    assert press(controls, *down("left")) == (-1.0, -1.0, 1.0)  # the newer of two opposite keys
    controls.end_tick()
    assert press(controls, KeyEvent("left", False), KeyEvent("s", False)) == (1.0, 0.0, 1.0)
    controls.release_all()
    assert press(controls) == (0.0, 0.0, 0.0)


def test_a_tap_counts_for_one_tick():
    controls = box(1)
    assert press(controls, *tap("right")) == (1.0,)
    controls.end_tick()
    assert press(controls) == (0.0,)


def test_rest_is_nearest_to_nothing_in_the_environments_own_units():
    pedal = box(1, low=0.0, high=1.0)
    assert pedal.idle == (-1.0,)
    assert press(pedal, *down("right")) == (1.0,)
    assert box(1, low=2.0, high=6.0).idle == (-1.0,) and box(1, low=-1.0, high=3.0).idle == (-0.5,)
    assert pedal.text((0.0,)) == "0.50"


def test_the_mouse_holds_a_number_anywhere_and_lets_it_go():
    controls = box(2)
    assert press(controls, AxisEvent(1, 0.25)) == (0.0, 0.25)
    assert controls.touched and not controls.asks_for_step
    assert press(controls, AxisEvent(1, None)) == (0.0, 0.0)


@pytest.mark.parametrize(("deflection", "value"), [(0.1, -0.5), (1.0, 1.0), (0.5, 0.25), (-0.5, -0.75), (-1.0, -1.0)])
def test_a_stick_deflects_a_number_from_its_rest(deflection, value):
    controls = box(1, low=-1.0, high=3.0)  # at rest at -0.5 of -1 to 1
    assert press(controls, StickEvent(0, deflection), StickEvent(7, 1.0)) == (value,)


def test_commands_are_heard_and_repeat():
    controls = box(2)
    assert controls.handle(*down("x")) is Command.PUT_BACK
    assert controls.handle(*down("n")) is Command.STEP
    for _ in range(5):
        controls.end_tick()
    assert controls.repeated_command is Command.STEP


def test_paused_each_key_is_one_step_and_a_held_one_repeats():
    controls = box(1)
    press(controls, *down("right"))
    assert controls.asks_for_step
    controls.end_tick()
    assert not controls.asks_for_step
    for _ in range(4):
        controls.end_tick()
    assert controls.asks_for_step
    controls.stop_repeating()
    assert not controls.asks_for_step


def test_more_numbers_than_pairs_of_keys_are_sliders_which_stay():
    controls = box(9)
    assert press(controls, *tap("right"), *tap("right")) == (0.5, *[0.0] * 8)
    assert press(controls, *tap("down"), *tap("left")) == (0.5, -0.25, *[0.0] * 7)
    assert press(controls, *tap("up"), *tap("up"), *tap("right"))[8] == 0.25
    assert controls.panel(None, None).slider == 8 and not controls.asks_for_step
    controls.handle(AxisEvent(3, -0.75))
    assert press(controls, AxisEvent(3, None), *tap("right"))[3] == -0.5  # the mouse chose it, too
    assert press(controls, *tap("space")) == (0.0,) * 9


def test_a_held_key_goes_on_moving_a_slider_up_to_its_end():
    controls = box(9)
    press(controls, *down("right"))
    for _ in range(4):
        controls.end_tick()
    assert controls.choose()[0] == 0.25
    for _ in range(9):
        controls.end_tick()
    assert controls.choose()[0] == 1.0


def test_the_help_names_the_keys_of_each_number():
    assert box(2, -2.0, 2.0).help()[:2] == [
        ("← →", "action 0: down to -2, up to 2"),
        ("↓ ↑", "action 1: down to -2, up to 2"),
    ]
    assert box(9).help()[0] == ("↑ ↓", "choose one of 9 numbers")
