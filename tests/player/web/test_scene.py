"""Scenes: a page gets what has changed since the scene that it shows, and nothing twice."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from keys import down, tap
from serving import unpack
from tiny_worlds import LatentModel, SampledModel

from worldmodels.player.session.events import KeyEvent
from worldmodels.player.view.panels.latent_texts import probability_map
from worldmodels.player.web.scene import Scene, shared
from worldmodels.player.web.snapshot_parts import frames_of, parts_of


def scene(number, parts, timeline=None, **frames):
    frames = {name: np.full((2, 3, 3), value, np.uint8) for name, value in frames.items()}
    return Scene(number, parts, frames, timeline)


def test_a_new_page_gets_everything():
    head, frames = unpack(
        scene(4, {"help": "false", "header": '{"title": "Field"}'}, ["1", "2"], real=7).changes_since(None)
    )
    assert head == {
        "number": 4,
        "parts": {"help": False, "header": {"title": "Field"}},
        "timeline": [1, 2],
        "frames": [["real", 2, 3, False]],
        "shrunk": 0,
    }
    np.testing.assert_array_equal(frames["real"], np.full((2, 3, 3), 7))


def test_only_what_changed_is_sent():
    old, new = scene(1, {"a": "1", "b": "2"}, real=7, model=8), scene(2, {"a": "1", "b": "3"}, real=7, model=9)
    head, frames = unpack(new.changes_since(old, old))
    assert (head["parts"], set(frames)) == ({"b": 3}, {"model"})
    assert new.differs_from(old)
    assert not scene(3, dict(new.parts), real=7, model=9).differs_from(new)
    assert scene(3, dict(new.parts), ["1"], real=7, model=9).differs_from(new)
    assert new.changes_since(old) is new.changes_since(old)


@pytest.mark.parametrize(
    ("old", "new", "run"),
    [
        ("", "abc", (0, 0)),
        ("abc", "abcd", (0, 3)),  # one more step
        ("abc", "bcde", (1, 3)),  # two more, and the oldest is gone
        ("abc", "ab", (0, 2)),  # one step back
        ("abc", "abx", (0, 2)),  # the newest drawn again
        ("aaaa", "aaaaa", (0, 4)),
        ("aaab", "aabc", (1, 4)),
        ("abc", "xyz", (0, 0)),
    ],
)
def test_the_time_line_is_sent_as_what_is_kept_and_what_is_new(old, new, run):
    assert shared(old, new) == run
    (first, end), old_line = run, [f'"{letter}"' for letter in old]
    message = scene(2, {}, [f'"{letter}"' for letter in new]).changes_since(scene(1, {}, old_line))
    assert unpack(message, timeline=list(old))[0]["timeline"] == list(new)
    assert f'"timeline": [{first},{end},[' in zlib.decompress(message).decode(errors="ignore")


def test_a_step_of_a_long_time_line_takes_a_few_bytes():
    line = [f"[0,0,{i % 3},[[{i % 50},100,null,0]]]" for i in range(301)]
    assert len(scene(2, {}, line[1:]).changes_since(scene(1, {}, line[:-1]))) < 150


def noise(seed, side=64):
    return np.random.default_rng(seed).integers(0, 256, (side, side, 3), np.uint8)


def test_a_small_change_of_a_frame_is_sent_exactly_and_takes_a_few_bytes():
    before, after = noise(0), noise(0)
    after[10:14, 20:24] = 255
    old, new = Scene(1, {}, {"real": before}), Scene(2, {}, {"real": after})
    message, is_exact = new.message_since(old, old)
    assert is_exact and len(message) < 300
    _, frames = unpack(message, {"real": before})
    np.testing.assert_array_equal(frames["real"], after)


@pytest.mark.parametrize("shapes", [[(64, 64)] * 4, [(64, 64)] * 16, [(512, 512)], [(64, 64), (40, 90), (1, 3)]])
def test_frames_that_move_are_sketched_within_three_kilobytes(shapes):
    y, x = np.mgrid[:512, :512]
    picture = np.stack([x // 8 % 64 * 4, y // 8 % 64 * 4, (x + y) // 64 * 16], -1).astype(np.uint8)
    picture ^= np.random.default_rng(0).integers(0, 8, picture.shape, np.uint8)  # as a model's pictures have it
    frames = {f"column {i}": picture[8 * i : 8 * i + h, :w] for i, (h, w) in enumerate(shapes)}
    old = Scene(1, {}, {name: np.zeros_like(frame) for name, frame in frames.items()})
    message, is_exact = Scene(2, {}, frames).message_since(old, old)
    if is_exact:
        assert len(shapes) == 3
    assert len(message) <= 3200
    seen = unpack(message, {})[1]
    for name, frame in frames.items():
        assert seen[name].shape == frame.shape
        assert np.abs(seen[name].astype(int) - frame).mean() < 16


def test_texts_alone_bring_no_frames_to_a_page_that_shows_sketches():
    old, new = Scene(1, {"a": "1"}, {"real": noise(1)}), Scene(2, {"a": "2"}, {"real": noise(1)})
    message, is_exact = new.message_since(old, None)
    head, frames = unpack(message, {})
    assert (is_exact, head["parts"], frames, len(message) < 120) == (False, {"a": 2}, {}, True)


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


def test_a_reward_and_a_harm_are_felt_once(make_session):
    session = make_session(length=4)

    def pulse():
        return parts_of(session.snapshot(), "", "", session.controls.signs)["pulse"]

    session.tick(down("right"))
    assert pulse() == ["reward", 1, 1]
    session.tick([KeyEvent("right", False), *down("up")])
    assert pulse() is None
    session.tick()
    session.tick()
    assert pulse() == ["harm", 1, 4], "it ends without a reward"
