"""Recorded episodes as reality: chosen from a list, played, scrubbed, and left to the model alone."""

from __future__ import annotations

import numpy as np
import pytest
from keys import down, run, tap
from recorded import with_episodes

from worldmodels.player.session.episodes.episode_browser import NO_EPISODES
from worldmodels.player.session.events import EpisodeEvent, KeyEvent, SeekEvent


@pytest.fixture
def session(make_session):
    return with_episodes(make_session())


def begin(session, *keys):
    """Open the list, press some keys in it, and begin the chosen episode; one step of it is taken."""
    session.tick(tap("f9", *keys, "return"))


def test_the_list_waits_and_begins_with_the_newest_episode(session):
    session.tick(tap("f9"))
    seen = run(session, 5)
    assert seen.step == 0 and (seen.episodes.numbers, seen.episodes.chosen) == ([2, 1], 1)
    session.tick(tap("right"))  # the order
    assert session.snapshot().episodes.order == "the highest return first"
    session.tick(tap("right"))
    assert session.snapshot().episodes.numbers == [1, 2]
    session.tick(tap("down", "down", "down", "up", "return"))
    seen = session.snapshot()
    assert seen.episodes is None and seen.recorded.number == 1, "the line before the last"


def test_the_recording_plays_and_the_model_foresees_beside_it(session):
    begin(session)
    seen = run(session, 4)
    assert (seen.player, seen.step, seen.recorded.at, seen.recorded.steps) == ("recording", 5, 5, 40)
    assert seen.real.episode_return == 3.0, "of five steps, three go to the right"
    assert seen.since_put_back == 5 and seen.models[0].error == 0
    assert len(seen.history) == 41 and seen.present == 5 and seen.line_length == 41
    assert [len(entry.models) for entry in seen.history[4:8]] == [1, 1, 0, 0]


def test_another_action_leaves_the_record_and_x_goes_back_to_it(session):
    begin(session)
    before = run(session, 4)
    seen = run(session, 3, *down("left"))
    assert seen.player == "you" and seen.recorded.left and not seen.alone
    assert (seen.recorded.at, seen.step, seen.since_put_back) == (5, 8, 8)
    assert (seen.real.frame == before.real.frame).all() and seen.real.episode_return == before.real.episode_return
    session.tick([KeyEvent("left", False), *tap("x")])
    seen = session.snapshot()
    assert seen.player == "recording" and not seen.recorded.left
    assert (seen.recorded.at, seen.step, seen.since_put_back) == (6, 6, 1)


def test_the_recorded_action_stays_with_the_record_whoever_takes_it(session):
    begin(session, "down")
    seen = run(session, 3, *down("right"))
    assert seen.player == "you" and not seen.recorded.left and seen.recorded.at == 4


def test_the_recording_goes_on_in_the_model_alone(session):
    begin(session, "down")
    run(session, 2, *down("left"))
    seen = run(session, 3, KeyEvent("left", False), *tap("p"))
    assert seen.player == "recording" and seen.recorded.left and seen.action == "right"


def test_the_policy_sees_what_the_model_predicts_once_the_record_is_left(session):
    begin(session)
    run(session, 2, *down("left"))
    policy = session._play.policy
    assert policy.is_alone()
    session.tick(tap("x"))
    assert not policy.is_alone()


def test_a_place_that_was_not_played_is_gone_to_and_the_model_put_there(session):
    begin(session)
    run(session, 4)
    session.tick([SeekEvent(10)])  # of 41 entries, the one of step 30
    seen = session.snapshot()
    assert seen.clock == "paused" and (seen.step, seen.recorded.at, seen.since_put_back) == (30, 30, 0)
    assert (seen.models[0].frame == seen.real.frame).all() and seen.real.episode_return == 15.0
    assert len(seen.history) == 42, "the put-back has an entry of its own"
    session.tick([SeekEvent(41 - 3)])  # a step that was played comes back with its forecast
    seen = session.snapshot()
    assert (seen.step, seen.since_put_back) == (3, 3)
    session.tick([SeekEvent(41 - 20)])  # between what was played and where the pointer was before
    seen = session.snapshot()
    assert (seen.step, seen.since_put_back) == (20, 0)
    session.tick(tap("c"))
    assert run(session, 2).recorded.at == 23


def test_the_tracker_sees_the_steps_that_pass(session):
    begin(session)
    session.tick([SeekEvent(0)])
    play = session._play
    np.testing.assert_array_equal(play.trackers[0].state["frame"][0], play.real.observation.astype(np.float32))
    assert session.snapshot().step == 40


def test_one_step_back_is_the_game_again(session):
    run(session, 3, *down("right"))
    before = session.snapshot()
    session.tick([KeyEvent("right", False), *tap("c", "f9", "return")])
    assert session.snapshot().recorded
    for _ in range(2):
        session.tick(tap("backspace"))
    seen = session.snapshot()
    assert seen.recorded is None and (seen.real.frame == before.real.frame).all()
    assert (seen.player, seen.step, seen.history) == ("you", before.step, before.history)


def test_the_next_episode_follows_and_the_list_leads_back_to_the_game(session):
    begin(session, "down")
    seen = run(session, 9)
    assert seen.recorded.number == 1
    for _ in range(20):  # to its end, and on
        session.tick()
    assert session.snapshot().recorded.number == 2, "after the last one of the list the first one"
    session.tick([*tap("f9"), EpisodeEvent(0)])
    seen = session.snapshot()
    assert seen.recorded is None and seen.player == "you" and seen.episode == 2
    assert seen.totals.episodes == 0, "recorded episodes do not count"


def test_a_recording_holds_the_game_alone(session):
    run(session, 3, *down("right"))
    session.tick([KeyEvent("right", False)])
    begin(session)
    run(session, 5)
    session.tick([*tap("f9"), EpisodeEvent(0)])
    first, second = session.log.episodes()
    assert len(first.actions) == 4 and len(second.actions) == 1
    assert [4, "recorded episode", 2] in first.events


def test_models_of_another_checkpoint_live_the_recorded_moment(session):
    begin(session)
    run(session, 4)
    before = session.snapshot()
    session._rewind_buffer.change_models()
    seen = session.snapshot()
    assert (seen.step, seen.since_put_back) == (before.step, before.since_put_back)
    assert (seen.models[0].frame == before.models[0].frame).all()
    run(session, 2, *down("left"))
    session._rewind_buffer.change_models()
    assert session.snapshot().step == 5, "a record that was left is gone back to"


def test_a_surprise_is_looked_for_in_the_record(session):
    begin(session)
    session.tick(tap("e"))
    seen = run(session, 6)
    assert seen.clock == "paused" and not seen.recorded.left


def test_without_episodes_it_is_said(make_session):
    session = make_session()
    session.tick(tap("f9"))
    assert session.snapshot().notice == NO_EPISODES and session.snapshot().episodes is None
