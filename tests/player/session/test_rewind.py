"""Rewinding and saved states go back exactly."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from keys import down, run, tap
from tiny_worlds import CopyingModel, WalkModel

from worldmodels.player.session import session as session_module
from worldmodels.player.session.events import KeyEvent, SeekEvent

RIGHT = 7


def walk(session, steps=6):
    """Return what is seen over some steps to the right."""
    frames = []
    for tick in range(steps):
        session.tick(down("right") if tick == 0 else ())
        seen = session.snapshot()
        frames.append((seen.real.frame.tobytes(), seen.models[0].frame.tobytes(), seen.real.episode_return, seen.step))
    session.tick([KeyEvent("right", False)])
    return frames


@pytest.mark.parametrize("model", [WalkModel, CopyingModel])
def test_a_saved_state_comes_back_exactly(make_session, model):
    session = make_session(model=model)
    run(session, 4, *down("up"))
    session.tick([KeyEvent("up", False), *tap("c")])
    before = session.snapshot()
    session.tick(tap("shift+f1"))
    assert session.snapshot().notice == "saved; F1 comes back to here"
    session.tick(tap("c"))
    first = walk(session)
    session.tick(tap("r"))
    session.tick(tap("c", "f1"))
    again = session.snapshot()
    assert (again.real.frame == before.real.frame).all() and (again.models[0].frame == before.models[0].frame).all()
    assert (again.step, again.history) == (before.step, before.history)
    session.tick(tap("c"))
    assert walk(session) == first, "the same samples follow"


def test_nothing_saved_is_said(make_session):
    session = make_session()
    session.tick(tap("f1"))
    assert session.snapshot().notice == "nothing is saved yet: Shift F1 saves"
    assert session.snapshot().step == 1


def test_an_environment_that_cannot_save_says_so(make_session):
    session = make_session()
    session._play.real._env = SimpleNamespace(step=session._play.real._env.step)
    session.tick(tap("shift+f1"))
    assert session.snapshot().notice == "this environment cannot save its state"


def test_backspace_takes_steps_back_exactly_and_play_goes_on_as_it_did(make_session):
    session = make_session(length=30, playing="policy")
    pictures = [session.snapshot()]
    for tick in range(60):  # over the end of an episode, a put-back and a new episode
        session.tick({20: tap("x"), 45: tap("r")}.get(tick, ()))
        pictures.append(session.snapshot())
    told = [(s.episode, s.step, s.models[0].frame.tobytes(), s.real.frame.tobytes(), s.totals) for s in pictures]
    session.tick(tap("backspace"))
    assert session.snapshot().clock == "paused"
    for _ in range(1000):
        session.tick(tap("backspace"))
    assert session.snapshot().notice == "this is as far back as it goes"
    seen = session.snapshot()
    assert seen.history[: seen.present + 1] == pictures[0].history
    session.tick(tap("c"))
    for tick in range(1, 60):
        session.tick({20: tap("x"), 45: tap("r")}.get(tick, ()))
    s = session.snapshot()
    assert (s.episode, s.step, s.models[0].frame.tobytes(), s.real.frame.tobytes(), s.totals) == told[-1]


def test_a_held_backspace_goes_on(make_session):
    session = make_session()
    run(session, 20)
    steps = []
    for events in (down("backspace"), *[[]] * 7, [KeyEvent("backspace", False)], []):
        session.tick(events)
        steps.append(session.snapshot().step)
    assert steps == [19, 19, 19, 19, 19, 18, 17, 16, 16, 16]


def test_rewinding_says_where_an_environment_cannot_save_its_state(make_session):
    session = make_session()
    session._play.real._env = SimpleNamespace(step=session._play.real._env.step)
    session._rewind_buffer._past.clear()
    session.tick()
    session.tick(tap("backspace"))
    assert session.snapshot().notice == "this environment cannot save its state"


def test_the_log_holds_what_was_done_and_forgets_what_was_taken_back(make_session):
    session = make_session()
    run(session, 3, *down("right"))
    session.tick([KeyEvent("right", False), *tap("x")])
    session.tick(tap("r"))
    session.tick(tap("backspace"))
    session.tick(tap("backspace"))  # the first step of the second episode, and its beginning
    session.tick(tap("backspace"))  # the last step of the first one
    session.tick(tap("up"))
    (episode,) = session.log.episodes()
    assert list(episode.actions) == [RIGHT, RIGHT, RIGHT, 5]
    assert [event[1] for event in episode.events] == ["put back"]
    assert set(episode.seen) == {0, 4}


def at(session):
    seen = session.snapshot()
    return seen.step, seen.real.frame.tobytes(), seen.models[0].frame.tobytes(), seen.present, len(seen.history)


def test_the_time_line_leads_back_and_on_again(make_session):
    session = make_session()
    places = [at(session)]
    for tick in range(8):
        session.tick(down("right") if tick == 0 else ())
        places.append(at(session))
    assert [place[3:] for place in places] == [(i, i + 1) for i in range(9)]
    session.tick([SeekEvent(5)])
    seen = session.snapshot()
    assert (seen.clock, seen.step, seen.present, len(seen.history)) == ("paused", 3, 3, 9)
    assert at(session)[:3] == places[3][:3]
    for back, step in ((0, 8), (8, 0), (400, 0), (2, 6)):
        session.tick([SeekEvent(back)])
        assert (*at(session)[:3], at(session)[3]) == (*places[step][:3], step)
    session.tick(tap("backspace"))
    assert at(session)[3:] == (5, 9)
    session.tick(tap("n"))  # a step forgets what was later
    assert at(session)[3:] == (6, 7)
    session.tick([SeekEvent(0)])
    assert session.snapshot().step == 6


def test_marks_are_jumped_to(make_session):
    session = make_session()
    run(session, 4)
    session.tick(tap("x"))  # and a step
    run(session, 2)
    session.tick(tap("["))
    assert (session.snapshot().step, session.snapshot().since_put_back) == (4, 0)
    session.tick(tap("["))
    assert session.snapshot().step == 0
    session.tick(tap("["))
    assert session.snapshot().notice == "there is no such moment"
    session.tick(tap("]"))
    assert (session.snapshot().step, session.snapshot().since_put_back) == (4, 0)


def test_an_environment_that_cannot_save_has_no_time_line_to_drag(make_session):
    session = make_session()
    session._play.real._env = SimpleNamespace(step=session._play.real._env.step)
    session.tick([SeekEvent(0)])
    assert session.snapshot().notice == "this environment cannot save its state"


def search(session, ticks=400):
    """Look for a surprise; return what is seen when the search is over."""
    session.tick(tap("e"))
    for _ in range(ticks):
        if session.snapshot().clock == "paused":
            return session.snapshot()
        session.tick()
    raise AssertionError("the search has no end")


class BlindModel(WalkModel):
    """A model that draws black from 7 steps after it saw the real state."""

    def frame(self, state, before=None):
        return super().frame(state) * (state["age"] < 7)[:, None, None, None].astype("uint8")


def test_the_search_stops_before_the_model_is_far_off(make_session):
    session = make_session(model=BlindModel, temperature=0)
    run(session, 30)
    seen = search(session)
    assert seen.notice == "in 20 steps: the model is far off"
    far = [i for i, entry in enumerate(seen.history) if entry.diverged]
    assert far[-1] == len(seen.history) - 1
    assert seen.step == 30 + 7 - 20  # with the put-back, 7 steps alone
    session.tick([SeekEvent(0)])
    assert session.snapshot().step == 37


def test_the_search_stops_before_an_episode_that_ends_without_a_reward(make_session, monkeypatch):
    session = make_session(length=50, temperature=0)
    act = session._play.policy.act
    monkeypatch.setattr(session._play.policy, "act", lambda: act() if session.snapshot().episode < 3 else 0)
    seen = search(session)
    assert (seen.notice, seen.episode, seen.step) == ("in 20 steps: the episode ends without a reward", 3, 30)
    assert seen.since_put_back <= 20


def test_a_search_ends_without_a_surprise_or_with_a_key(make_session, monkeypatch):
    monkeypatch.setattr(session_module, "LONGEST_SEARCH", 100)
    session = make_session(temperature=0)
    assert search(session).notice == "no surprise in 100 steps"
    session.tick(tap("e"))
    session.tick()
    step = session.snapshot().step
    session.tick([KeyEvent("left", True)])
    assert (session.snapshot().step, session.snapshot().player) == (step + 1, "you")
    without = make_session(with_policy=False)
    without.tick(tap("e"))
    assert without.snapshot().notice == "a surprise needs a policy, and a real game that can be taken back"
