"""Sessions of a world that shows numbers and takes a box of actions, beside a model of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cart_world import BOX, Cart, CartModel, CartView, PushPolicy
from keys import down, run, tap

from worldmodels.core.seeding import Streams
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.events import AxisEvent, KeyEvent
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.players import PolicyPlayer, RandomBoxPlayer, ScriptPlayer
from worldmodels.player.session.session import Session
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.snapshot import Totals, plain
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.real_world import RealWorld
from worldmodels.player.session.worlds.state_tracker import StateTracker
from worldmodels.player.view.theme import signed
from worldmodels.player.web.snapshot_parts import parts_of


@pytest.fixture
def session():
    streams, settings = Streams(0), Settings(PlayOptions(), with_model=True, with_policy=True)
    tracker = StateTracker(CartModel(), streams)
    model = ModelWorld(CartView(CartModel()), tracker, streams, settings)
    players = [
        PolicyPlayer(PushPolicy(), tracker, streams, settings),
        RandomBoxPlayer(2, streams),
        ScriptPlayer([[(0.25, -1.0), (0.5, -1.0)]]),
    ]
    controls = BoxControls(BOX, ("push", "brake"))
    return Session("Cart", RealWorld(Cart(), seed=1), controls, settings, [model], players)


def test_numbers_stand_beside_their_predictions(session):
    seen = run(session, 2, *down("right"))
    assert seen.real.frame is None and seen.models[0].frame is None
    np.testing.assert_array_equal(seen.real.vectors[""], [3.0, 2.0])
    np.testing.assert_array_equal(seen.models[0].vectors[""], [3.5, 2.0])
    np.testing.assert_array_equal(seen.models[0].reconstructed_vectors[""], [3.0, 2.0])
    low, high = seen.ranges[""]
    assert (low.tolist(), high.tolist()) == ([0.0, 0.0], [3.0, 2.0])
    assert seen.models[0].error == pytest.approx(0.5 / 3 / 2)  # half a unit of a range of 3, and nothing
    assert seen.history[-1].models[0].image_error == pytest.approx(96 * 0.5 / 3 / 2)
    assert seen.history[-1].models[0].reconstruction_error == 0
    assert seen.action == "2.00  0.00"


def test_the_panel_shows_what_is_held_and_what_the_policy_would_do(session):
    panel = run(session, 1, *down("up")).box_panel
    assert (panel.names, panel.low, panel.high) == (("push", "brake"), (-2.0, 0.0), (2.0, 4.0))
    assert (panel.values, panel.choice, panel.slider) == ((0.0, 4.0), (2.0, 0.0), None)
    session.tick([KeyEvent("up", False), *tap("p")])
    panel = run(session, 1).box_panel
    assert (panel.values, panel.choice) == ((2.0, 0.0), None)  # it plays: its next choice would confuse


def test_the_mouse_takes_over_and_is_recorded(session):
    session.tick(tap("p"))
    assert run(session, 1).player == "policy"
    seen = run(session, 2, AxisEvent(0, 0.3))
    assert seen.player == "you" and seen.box_panel.values == (pytest.approx(0.6), 0.0)
    (episode,) = session.log.episodes()
    assert list(episode.actions) == [(1.0, -1.0), (1.0, -1.0), (0.3, -1.0), (0.3, -1.0)]


def test_it_goes_back_exactly(session):
    first = run(session, 3, *down("right"))
    session.tick([KeyEvent("right", False), *tap("c")])
    session.tick(tap("shift+f1"))
    session.tick(tap("c"))
    run(session, 4, *down("left"))
    session.tick([KeyEvent("left", False)])
    session.tick(tap("f1"))
    session.tick(tap("backspace"))
    session.tick(tap("f1"))
    again = session.snapshot()
    np.testing.assert_array_equal(again.real.vectors[""], first.real.vectors[""])
    np.testing.assert_array_equal(again.models[0].vectors[""], first.models[0].vectors[""])
    assert again.ranges[""][1].tolist() == first.ranges[""][1].tolist()
    assert len(session.log.episodes()[0].actions) == 3


def test_branches_hold_each_number_at_its_ends(session):
    run(session, 2, *down("right"))
    session.tick([KeyEvent("right", False), *tap("b")])
    session.do_pending()
    assert len(run(session, 1).branches.branches) == 16
    session.tick(tap("b"))
    branches = run(session, 1).branches.branches
    assert [branch.label for branch in branches] == ["push lowest", "push highest", "brake lowest", "brake highest"]
    assert branches[0].frame is None
    speeds = [float(branch.vectors[""][1]) for branch in branches]
    assert speeds == [0.0, 4.0, 2.0, 2.0]  # after two steps


def test_samples_of_numbers_have_a_spread(session):
    session.tick(tap("y"))
    session.do_pending()
    spreads = run(session, 1).models[0].spreads[""]
    assert spreads[0] == pytest.approx(np.linspace(-1, 1, 16).std()) and spreads[1] == 0
    session.tick(tap("y"))
    assert not run(session, 1).models[0].spreads


def test_chance_and_scripts_play_in_a_box(session):
    session.tick(tap("t", "p"))
    run(session, 3)
    session.tick(tap("t", "p", "p"))
    drawn = session.log.episodes()[0].actions
    assert all(len(action) == 2 and min(action) >= -1 and max(action) <= 1 for action in drawn)
    assert len(set(drawn)) > 2


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (7.3e-05, None, "0.0001"),
        (-7.3e-06, None, "0"),
        (-0.0, None, "0"),
        (-0.5, None, "-0.5"),
        (6.66667, None, "6.67"),
        (123456.0, None, "123456"),
        (100.0, None, "100"),
        (7.3e-05, 2, "0.00"),
        (-0.004, 2, "0.00"),
        (-0.006, 2, "-0.01"),
        (-0.04, 1, "0.0"),
    ],
)
def test_people_read_plain_numbers(value, decimals, text):
    assert plain(value, decimals) == text
    assert signed(value, decimals) == (f"+{text}" if float(text) > 0 else text)


def test_small_numbers_have_no_exponent_and_no_sign_wherever_they_are_shown(make_session):
    session = make_session(models=0, with_policy=False, rate=1)
    play = session._play
    play.counters = replace(play.counters, real_return=-7.3e-05, totals=Totals(1, 1, -7.3e-05, -7.3e-05))
    parts = parts_of(session.snapshot(), "", "", ())
    assert parts["columns"][0]["total"] == "0.0"
    assert parts["header"]["totals"] == "1 finished, mean return -0.0001"
    assert session.totals.text(True) == "Episodes played to their end: 1. Mean return: -0.0001, in the model -0.0001."
    settings = Settings(PlayOptions(temperature=0.00001), with_model=True, with_policy=False)
    assert settings.rows[1].text == "0.00001" and len(set(settings.rows[1].texts)) == len(settings.rows[1].texts)
    assert BoxControls(BOX, ("push", "brake")).text((-1e-9, 0.0)).startswith("0.00  ")
