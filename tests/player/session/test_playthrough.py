"""Real and learned worlds under the same actions, by the keys of a person."""

from __future__ import annotations

import numpy as np
import pytest
from keys import down, run, tap


def test_both_worlds_step_by_the_same_actions(make_session):
    seen = run(make_session(), 5, *down("right"))
    assert (seen.step, seen.since_put_back, seen.action) == (5, 5, "right")
    assert seen.real.episode_return == 5.0
    assert seen.models[0].episode_return == pytest.approx(4.5)  # 0.9 a step, says the model
    square = np.argwhere(seen.real.frame[..., 0] == 240)
    assert square.min(axis=0).tolist() == [30, 8 + 1 + 5]
    assert np.abs(seen.models[0].frame.astype(int) - seen.real.frame).mean() < 10


def test_x_puts_the_model_back_exactly_on_the_real_state(make_session):
    session = make_session()
    before = run(session, 8, *down("right"))
    assert (before.models[0].frame != before.real.frame).any()
    session.tick(tap("c"))
    session.tick(tap("x"))
    after = session.snapshot()
    assert (after.models[0].frame == after.real.frame).all()
    assert after.since_put_back == 0
    assert after.models[0].episode_return == after.real.episode_return == 8.0
    assert after.notice == "put back on the real state"


def test_putting_back_does_not_change_the_tracked_state(make_session):
    played, disturbed = make_session(), make_session()
    for tick in range(12):
        played.tick()
        disturbed.tick(tap("x") if tick in (2, 7) else ())
    for session in (played, disturbed):
        session.tick(tap("x"))
    assert (played.snapshot().models[0].frame == disturbed.snapshot().models[0].frame).all()


def test_the_model_is_put_back_by_itself(make_session):
    session = make_session(put_back_every=3)
    counts = []
    for _ in range(7):
        session.tick()
        counts.append(session.snapshot().since_put_back)
    assert counts == [1, 2, 3, 1, 2, 3, 1]


def test_the_model_ends_but_goes_on(make_session):
    session = make_session()
    ended = []
    for _ in range(23):
        session.tick(down("right"))
        ended.append(session.snapshot().models[0].ended)
    assert ended == [False] * 20 + [True] * 3  # continuation is 1 - age / 40, and 0.5 is not yet below 0.5
    assert session.snapshot().models[0].episode_return == pytest.approx(0.9 * 21)  # with the step that ended it
    session.tick(tap("x"))
    assert not session.snapshot().models[0].ended


def test_an_ended_episode_is_shown_and_the_next_one_begins(make_session):
    session = make_session(length=3)
    shown = []
    for _ in range(16):
        session.tick()
        seen = session.snapshot()
        shown.append((seen.episode, seen.step, seen.clock == "episode over"))
    ended = [(1, 3, True)] * 12
    assert shown == [(1, 1, False), (1, 2, False), *ended, (2, 0, False), (2, 1, False)]
    assert (session.totals.episodes, session.totals.steps) == (1, 3)
    assert session.snapshot().since_put_back == 1


def test_totals_leave_out_episodes_cut_short(make_session):
    session = make_session(length=4)
    run(session, 2, *down("right"))
    session.tick(tap("r"))
    assert (session.snapshot().episode, session.totals.episodes) == (2, 0)
    run(session, 3)
    assert (session.totals.episodes, session.totals.real_return) == (1, 4.0)


def test_the_time_line_marks_episodes_and_put_backs(make_session):
    session = make_session()
    session.tick()
    session.tick(tap("x"))
    marks = [entry.mark for entry in session.snapshot().history]
    assert marks == ["episode", "", "put back", ""]
    assert session.snapshot().history[2].models[0].image_error == 0.0
    assert session.snapshot().history[3].models[0].image_error > 0.0


def test_another_sample_is_another_future_beside_the_same_reality(make_session):
    one, other = make_session(), make_session()
    other.settings.choose_next()
    other.settings.choose_next()
    other.tick(tap("c"))
    other.tick(tap("+"))
    other.tick(tap("c"))
    one.tick()
    assert (one.snapshot().real.frame == other.snapshot().real.frame).all()
    assert (one.snapshot().models[0].frame != other.snapshot().models[0].frame).any()


def test_two_models_predict_beside_one_reality(make_session):
    session = make_session(models=2)
    seen = run(session, 4, *down("right"))
    assert [model.name for model in seen.models] == ["Model 0", "Model 1"]
    assert [model.episode_return for model in seen.models] == pytest.approx([3.6, 3.6])
    assert len(seen.history[-1].models) == 2
    session.tick(tap("x"))
    assert all(forecast.image_error == 0 for forecast in session.snapshot().history[-2].models)


def test_the_step_at_which_the_model_leaves_reality_is_marked_once(make_session):
    session = make_session(temperature=10)
    session.tick()
    session.tick()
    session.tick(tap("x"))
    session.tick()
    assert [(entry.mark, entry.diverged) for entry in session.snapshot().history] == [
        *(("episode", False), ("", True), ("", False), ("put back", False), ("", True), ("", False))
    ]


def test_a_model_is_played_without_reality(make_session):
    session = make_session(alone=True, playing="policy")
    first = session.snapshot()
    seen = run(session, 30)
    assert seen.alone and seen.step == seen.since_put_back == 30
    assert (seen.real.frame == first.real.frame).all() and seen.real.episode_return == 0
    assert seen.models[0].episode_return == pytest.approx(0.9 * 21) and seen.models[0].ended
    assert seen.policy_panel.value == 30, "the policy sees what the model predicts: its age"
    assert not any(entry.diverged for entry in seen.history)
    session.tick(tap("r"))
    assert session.snapshot().models[0].ended is False
    for _ in range(3):
        session.tick(tap("backspace"))
    assert session.snapshot().step == 29
