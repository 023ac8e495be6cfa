"""Scenes: a page gets what has changed since the scene that it shows, and nothing twice."""

from __future__ import annotations

import numpy as np
from keys import tap
from serving import unpack

from worldmodels.player.web.scene import Scene
from worldmodels.player.web.snapshot_parts import frames_of, parts_of


def scene(number, parts, **frames):
    return Scene(number, parts, {name: np.full((2, 3, 3), value, np.uint8) for name, value in frames.items()})


def test_a_new_page_gets_everything():
    head, frames = unpack(scene(4, {"help": "false", "header": '{"title": "Field"}'}, real=7).changes_since(None))
    assert head == {
        "number": 4,
        "parts": {"help": False, "header": {"title": "Field"}},
        "frames": [["real", 2, 3]],
    }
    np.testing.assert_array_equal(frames["real"], np.full((2, 3, 3), 7))


def test_only_what_changed_is_sent():
    old, new = scene(1, {"a": "1", "b": "2"}, real=7, model=8), scene(2, {"a": "1", "b": "3"}, real=7, model=9)
    head, frames = unpack(new.changes_since(old))
    assert (head["parts"], set(frames)) == ({"b": 3}, {"model"})
    assert new.differs_from(old)
    assert not scene(3, dict(new.parts), real=7, model=9).differs_from(new)
    assert new.changes_since(old) is new.changes_since(old)


def test_a_snapshot_becomes_parts_and_frames(make_session):
    session = make_session()
    session.tick()
    snapshot = session.snapshot()
    parts, frames = (
        parts_of(snapshot, "runs/a, step 9", "key to picture 30 ms", session.controls.signs),
        frames_of(snapshot),
    )
    assert [column["name"] for column in parts["columns"]] == ["Model 0", "Real", "Difference"]
    assert [column["frame"] for column in parts["columns"]] == ["column 0", "column 1", "column 2"]
    np.testing.assert_array_equal(frames["column 1"], snapshot.real.frame)
    assert parts["header"]["facts"] == [("episode", "1"), ("level", "1"), ("step", "1"), ("action", "nothing")]
    assert parts["header"]["totals"] == "key to picture 30 ms"
    assert parts["timeline"][0] == [2, 0, 0, [[0, 100, None, 0]]]  # an episode began
    assert parts["policy"]["bars"][7] == ["→", round(1000 * 16 / 30)]
    assert parts["box"] is None and not parts["alone"]


def test_a_game_alone_has_one_column(make_session):
    session = make_session(models=0, with_policy=False)
    parts = parts_of(session.snapshot(), "", "", ())
    assert [column["name"] for column in parts["columns"]] == ["Real"]
    assert parts["alone"] and parts["timeline"] is None


def test_branches_take_the_place_of_columns(make_session):
    session = make_session()
    for key in ("b",):
        session.tick(tap(key))
    session.do_pending()
    session.tick()
    parts, frames = parts_of(session.snapshot(), "", "", session.controls.signs), frames_of(session.snapshot())
    assert len(parts["branches"]) == 16 and set(frames) == {f"branch {i}" for i in range(16)}
    assert parts["branches"][0]["label"] == "1"
