"""Rewinding and saved states go back exactly."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from keys import down, run, tap
from tiny_worlds import CopyingModel, WalkModel

from worldmodels.player.session.events import KeyEvent

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
    assert session.snapshot().history == pictures[0].history
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
