"""Scenes: a page gets what has changed since the scene that it shows, and nothing twice."""

from __future__ import annotations

import numpy as np
from keys import tap
from serving import unpack
from tiny_worlds import LatentModel, SampledModel

from worldmodels.player.view.panels.latent_texts import probability_map
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


def test_the_inside_of_a_model_is_a_part_and_a_frame(make_session):
    session = make_session(model=LatentModel)
    session.tick(tap("c", "n"))
    assert parts_of(session.snapshot(), "", "", session.controls.signs)["latents"] is None
    session.tick(tap("m", "down", "g", "f3"))
    snapshot = session.snapshot()
    part, own = parts_of(snapshot, "", "", session.controls.signs)["latents"], snapshot.latents.classes
    assert (part["classes"], part["held"], part["chosen"]) == (own, [False, True], 1)
    assert [(row["name"], row["share"]) for row in part["likely"]] == [
        ("class 1", 500),
        ("class 2", 300),
        ("class 0", 200),
    ]
    assert [row["own"] for row in part["likely"]] == [own[1] == k for k in (1, 2, 0)]
    assert part["words"] == ["no probes were fitted for this checkpoint; worldmodels eval RUN --mode model fits them"]
    buttons = [(button["text"], button["enabled"]) for button in part["buttons"]]
    assert (len(buttons), buttons[2], buttons[-1]) == (7, ("let go", True), ("paste all", True))
    np.testing.assert_array_equal(frames_of(snapshot)["latents"], probability_map(snapshot.latents))


def test_a_model_without_latents_has_no_frame_of_them(make_session):
    session = make_session()
    session.tick(tap("m"))
    part = parts_of(session.snapshot(), "", "", session.controls.signs)["latents"]
    assert part["words"][0] == "this model draws no discrete latents"
    assert not any(button["enabled"] for button in part["buttons"])
    assert "latents" not in frames_of(session.snapshot())


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


def test_the_drawing_of_a_sampled_frame_is_a_part_and_a_frame(make_session):
    session = make_session(model=SampledModel)
    session.tick(tap("c", "n", "m"))
    snapshot = session.snapshot()
    part, strip = parts_of(snapshot, "", "", session.controls.signs)["latents"], frames_of(snapshot)["latents"]
    assert part["likely"] == [
        {"name": "last frame", "share": 250, "own": False, "colour": "#969da8"},
        {"name": "painted", "share": 750, "own": False, "colour": "#eca41e"},
    ]
    assert strip.shape == (64, 4 * 64 + 3 * 4, 3)  # three calls and the origin of the pixels, with gaps between
    np.testing.assert_array_equal(strip[:, 2 * 68 : 2 * 68 + 64], snapshot.models[0].frame)
