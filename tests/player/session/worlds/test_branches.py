"""Many samples at once: branches and the heat map."""

from __future__ import annotations

import pytest
from keys import down, run, tap

from worldmodels.player.session.events import KeyEvent

RIGHT, NOTHING = 7, 4


def prepared(session, key):
    """Press a key that needs many samples, and do what has to be done first."""
    session.tick(tap(key))
    if session.pending:
        assert session.pending.status == "Compiling many samples"
        session.do_pending()


def test_branches_show_samples_then_actions_then_nothing(make_session):
    session = make_session()
    run(session, 3, *down("right"))
    session.tick([KeyEvent("right", False)])
    before = session.snapshot()
    prepared(session, "b")
    session.tick()
    shown = session.snapshot().branches
    assert [tile.label for tile in shown.branches[:2]] == ["1", "2"] and len(shown.branches) == 16
    assert (shown.step, shown.steps) == (1, 20)
    assert (shown.branches[0].frame != shown.branches[1].frame).any()
    prepared(session, "b")
    shown = session.snapshot().branches
    assert [tile.label for tile in shown.branches][RIGHT] == "right" and len(shown.branches) == 15
    # A step to the right is said to pay 0.9, and the episode to go on with probability 1 - age / 40.
    assert shown.branches[RIGHT].branch_return == pytest.approx(0.9)
    assert shown.branches[NOTHING].branch_return == 0
    session.tick()
    assert session.snapshot().branches.branches[RIGHT].survival == pytest.approx((39 / 40) * (38 / 40))
    session.tick(tap("b"))
    after = session.snapshot()
    assert after.branches is None
    assert after.step == before.step + 1, "the worlds stood still"


def test_branches_begin_anew_when_they_are_through_and_a_move_leaves_them(make_session):
    session = make_session()
    prepared(session, "b")
    steps = [session.tick() and session.snapshot().branches.step for _ in range(22)]
    assert steps == [*range(1, 21), 0, 1]
    session.tick(down("up"))
    assert session.snapshot().branches is None and session.snapshot().step > 0


def test_the_heat_map_shows_where_samples_differ(make_session):
    session = make_session()
    assert session.snapshot().models[0].uncertainty is None
    prepared(session, "y")
    session.tick()
    uncertainty = session.snapshot().models[0].uncertainty
    assert uncertainty.shape == (64, 64) and 0 < uncertainty.mean() < 0.1
    certain = make_session(temperature=0)
    prepared(certain, "y")
    certain.tick()
    assert certain.snapshot().models[0].uncertainty.max() == 0
    session.tick(tap("y"))
    assert session.snapshot().models[0].uncertainty is None


def test_looking_at_branches_and_uncertainty_changes_nothing(make_session):
    quiet, curious = make_session(), make_session()
    for session in (quiet, curious):
        session.tick(tap("c"))
    for key in ("y", "b", "b", "b"):
        prepared(curious, key)
        curious.tick()
    for session in (quiet, curious):
        for _ in range(5):
            session.tick(tap("n"))
    assert (quiet.snapshot().models[0].frame == curious.snapshot().models[0].frame).all()
    assert quiet.snapshot().step == curious.snapshot().step == 5
