"""Drawing on the real frame: tools, what models make of it, and the way back."""

from __future__ import annotations

import numpy as np
import pytest
from keys import down, run, tap
from recorded import with_episodes
from tiny_worlds import LatentModel, WalkModel

from worldmodels.player.session.drawing.drawing_tool import NO_FRAME
from worldmodels.player.session.events import DrawEvent, KeyEvent

GROUND = (40, 90, 60)
SQUARE = (240, 220, 60)
TOOL = "shift+f2"


def at(row, column, begins=True, picks=False):
    """Use the tool at the middle of a pixel."""
    return DrawEvent((column + 0.5) / 64, (row + 0.5) / 64, begins, picks)


@pytest.fixture
def session(make_session):
    session = make_session()
    run(session, 4, *down("right"))
    session.tick([KeyEvent("right", False), *tap("c")])
    return session


def test_the_brush_paints_the_picked_colour_and_the_model_goes_on_from_it(session):
    before = session.snapshot()
    session.tick(tap(TOOL))
    assert session.snapshot().drawing.tool == "pick a colour" and session.snapshot().clock == "paused"
    row, column = session._play.real._env.place
    session.tick([at(row, column)])
    assert session.snapshot().drawing == session.snapshot().drawing.__class__("brush", 3, SQUARE)
    session.tick([at(10, 20)])
    seen = session.snapshot()
    assert (seen.real.frame[9:12, 19:22] == SQUARE).all() and (seen.real.frame[9:12, 22] == GROUND).all()
    assert seen.drawn and seen.since_put_back == 0
    np.testing.assert_array_equal(seen.models[0].frame, seen.real.frame)
    session.tick(tap("n"))
    seen = session.snapshot()
    assert (seen.real.frame == GROUND).all(-1)[9:12, 19:22].all(), "reality has not changed"
    assert np.abs(seen.models[0].frame[9:12, 19:22] - np.int32(SQUARE)).mean() < 10, "the model has"
    assert seen.drawn and seen.real.episode_return == before.real.episode_return
    session.tick(tap("x"))
    seen = session.snapshot()
    assert not seen.drawn
    np.testing.assert_array_equal(seen.models[0].frame, seen.real.frame)


def test_a_drag_paints_all_the_way_and_adds_one_mark(session):
    marks = len(session.snapshot().history)
    session.tick(tap(TOOL, TOOL))
    session.tick([at(5, 5)])
    session.tick([at(5, 20, begins=False)])
    seen = session.snapshot()
    assert not (seen.real.frame == GROUND).all(-1)[5, 4:22].any()
    assert len(seen.history) == marks + 1
    session.tick(tap("backspace"))
    assert not session.snapshot().drawn and (session.snapshot().real.frame[5, 5] == GROUND).all(), "a stroke back"


def test_erasing_restores_the_real_frame(session):
    session.tick(tap(TOOL, TOOL))
    session.tick([at(5, 5)])
    session.tick([*tap(TOOL), at(5, 5)])
    seen = session.snapshot()
    assert seen.drawing.tool == "erase" and (seen.real.frame[5, 5] == GROUND).all()


def test_a_square_is_copied_and_pasted(session):
    session.tick(tap(TOOL, TOOL, TOOL, TOOL))
    assert session.snapshot().drawing.tool == "copy"
    row, column = session._play.real._env.place
    session.tick([at(row + 4, column + 4)])
    assert session.snapshot().drawing.tool == "paste" and not session.snapshot().drawn
    session.tick([at(50, 50)])
    frame = session.snapshot().real.frame
    painted = (frame == SQUARE).all(-1)[40:60, 40:60]
    assert painted.sum() == 64 and painted[6:14, 6:14].all(), "eight by eight around the pixel"
    session.tick([at(0, 63)])
    assert (session.snapshot().real.frame[0, 60:] == SQUARE).all(), "cut at the edges"


def test_plus_and_minus_change_the_tool_and_no_setting(session):
    rate = session.settings.rate
    session.tick(tap(TOOL, TOOL, "+", "-", "-"))
    assert session.snapshot().drawing.size == 2 and session.settings.rate == rate
    session.tick(tap("escape", "+"))
    assert session.snapshot().drawing is None and session.settings.rate > rate


def test_the_right_button_picks_whatever_the_tool(session):
    session.tick([*tap(TOOL, TOOL, TOOL), at(0, 0, picks=True)])
    assert session.snapshot().drawing.colour == GROUND and session.snapshot().drawing.tool == "brush"


def test_without_a_tool_the_mouse_draws_nothing(session):
    session.tick([at(5, 5)])
    assert not session.snapshot().drawn


def test_branches_begin_at_the_changed_frame(session):
    session.tick(tap(TOOL, TOOL))
    session.tick([at(5, 5)])
    session.tick(tap("b"))
    session.do_pending()
    session.tick()
    assert (session.snapshot().branches.branches[0].frame[5, 5] != GROUND).any()


def test_a_saved_moment_keeps_what_was_drawn(session):
    session.tick(tap(TOOL, TOOL))
    session.tick([at(5, 5), *tap("shift+f1")])
    session.tick(tap("n"))
    session.tick(tap("f1"))
    seen = session.snapshot()
    assert seen.drawn and (seen.real.frame[5, 5] != GROUND).any()
    np.testing.assert_array_equal(seen.models[0].frame, seen.real.frame)


@pytest.mark.parametrize("model", [WalkModel, LatentModel])
def test_the_first_frame_of_an_episode_and_a_recorded_one_can_be_drawn_on(make_session, model):
    session = with_episodes(make_session(model=model))
    session.tick(tap("c", "r", TOOL, TOOL))
    session.tick([at(5, 5)])
    assert session.snapshot().drawn
    session.tick(tap("escape", "f9", "return"))
    run(session, 2)
    run(session, 2, *down("left"))
    session.tick([KeyEvent("left", False), *tap(TOOL, TOOL)])
    session.tick([at(5, 5)])
    seen = session.snapshot()
    assert seen.drawn and not seen.recorded.left, "reality is there again, but for what was drawn"
    assert (seen.models[0].frame[5, 5] != GROUND).any()


def test_a_model_alone_has_no_real_frame_to_draw_on(make_session):
    session = make_session(alone=True)
    session.tick(tap(TOOL))
    assert session.snapshot().notice == NO_FRAME and session.snapshot().drawing is None


def test_a_recording_says_when_reality_was_changed(session):
    session.tick(tap(TOOL, TOOL))
    session.tick([at(5, 5)])
    assert [4, "put on a changed frame"] in session.log.episodes()[0].events
