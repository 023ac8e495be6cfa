"""The loop: what is taken, done and shown, in which order, and when it ends."""

from __future__ import annotations

import pytest
from keys import down, tap

from worldmodels.player.session.events import AbsenceEvent
from worldmodels.player.session.loop import Unattended, play


class Screen:
    """A source that gives one list of events at each call, and a sink that writes down what it is asked to show."""

    def __init__(self, *events, closes_while_pending=False):
        self.closed = False
        self.shown, self.dues = [], []
        self._events, self._closes = list(events), closes_while_pending

    def take(self, due):
        self.dues.append((due(False), due(True)))
        self.closed = not self._events
        return self._events.pop(0) if self._events else []

    def show_ready(self, session):
        self.shown.append("ready")

    def do_pending(self, session):
        self.shown.append(session.pending.status)
        self.closed = self._closes
        session.do_pending()

    def show(self, session, changed, began):
        self.shown.append((session.snapshot().step, changed))
        assert (began is None) == (len([one for one in self.shown if isinstance(one, tuple)]) == 1)


def steps(session, screen, script=None, **how):
    """Play, and return the step after each tick."""
    return [session.snapshot().step for _ in play(session, screen, screen, script or {}, **how)]


def test_each_tick_is_shown_until_the_source_closes(make_session):
    screen = Screen([], [], tap("c"), [])
    assert steps(make_session(), screen) == [1, 1, 1]
    assert screen.shown == [(0, True), (1, True), (1, True), (1, False)]


def test_events_of_the_first_take_and_of_the_script_reach_the_first_tick(make_session):
    session = make_session()
    assert steps(session, Screen(down("right"), []), {0: tap("c")}, ticks=1) == [1]
    assert session.snapshot().clock == "paused" and session.snapshot().real.episode_return == 1


@pytest.mark.parametrize(("key", "clock"), [("n", "paused"), ("c", "running"), ("h", "running")])
def test_the_first_tick_waits_for_a_key_that_counts_unless_it_asks_for_help_or_a_pause(make_session, key, clock):
    session, screen = make_session(), Screen([], [AbsenceEvent("gone")], tap(key), [], [])
    assert steps(session, screen, ticks=2, waits_for_key=True) == ([1, 1] if key == "n" else [1, 2])
    assert session.snapshot().clock == clock and not session.help_shown
    assert screen.shown[:2] == ["ready", (0, True)]
    assert screen.dues[:3] == [(float("inf"), float("-inf"))] * 3


def test_a_key_brings_the_tick_forward_by_half_of_the_distance(make_session):
    screen = Screen([], [], [])
    steps(make_session(rate=10), screen)
    assert screen.dues[0] == (float("-inf"), float("-inf"))
    for unpressed, pressed in screen.dues[1:]:
        assert unpressed - pressed == pytest.approx(0.05)
    assert screen.dues[2][0] - screen.dues[1][0] == pytest.approx(0.1, abs=0.05)


def test_pending_work_is_done_before_the_next_tick(make_session):
    screen = Screen([], tap("b"), [], [])
    assert len(steps(make_session(), screen, ticks=3)) == 3
    assert screen.shown[:3] == [(0, True), (0, True), "Compiling many samples"]


def test_a_source_that_closes_during_pending_work_ends_play_without_a_tick(make_session):
    screen = Screen([], tap("b"), [], [], closes_while_pending=True)
    assert len(steps(make_session(), screen)) == 1


def test_leaving_ends_play(make_session):
    assert len(steps(make_session(), Screen([], [], tap("escape"), [], []))) == 2


def test_nobody_plays_as_fast_as_it_can(make_session):
    nobody = Unattended()
    script = {7: tap("b"), 60: tap("escape"), 90: tap("escape")}  # the first one leaves the branches
    assert len(list(play(make_session(rate=1), nobody, nobody, script))) == 91
