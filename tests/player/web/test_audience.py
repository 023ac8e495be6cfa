"""The audience: who plays, who watches, and what is let go when somebody goes."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from worldmodels.player.session.events import AbsenceEvent, AxisEvent, KeyEvent, StickEvent
from worldmodels.player.web.audience import Audience, Inbox, Viewer
from worldmodels.player.web.scene import Scene


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def audience(inbox):
    return Audience(inbox)


def joined(audience, *pages):
    viewers = [Viewer(page) for page in pages]
    for viewer in viewers:
        audience.join(viewer)
    return viewers


def taken(inbox):
    return inbox.take(lambda pressed: 0.0)


def test_the_first_plays_and_the_others_watch(audience, inbox):
    first, second = joined(audience, "a", "b")
    assert audience.role(first) == {"plays": True, "asks": False, "played": True, "watching": 1, "asking": 0}
    assert audience.role(second) == {"plays": False, "asks": False, "played": True, "watching": 1, "asking": 0}
    audience.take(first, KeyEvent("left", True))
    audience.take(second, KeyEvent("right", True))
    assert taken(inbox) == [KeyEvent("left", True)]


def test_whoever_asked_first_gets_to_play(audience, inbox):
    first, _, third = joined(audience, "a", "b", "c")
    audience.take(first, KeyEvent("left", True))
    audience.ask(third)
    assert audience.role(first)["asking"] == 1
    audience.hand_over(third)  # which is not hers to do
    assert audience.plays(first)
    audience.hand_over(first)
    assert audience.plays(third) and not audience.role(third)["asks"]
    assert taken(inbox) == [KeyEvent("left", True), KeyEvent("left", False)]


def test_nobody_is_handed_anything_where_nobody_watches(audience):
    (first,) = joined(audience, "a")
    audience.hand_over(first)
    assert audience.plays(first)


def test_who_is_gone_lets_everything_go(audience, inbox):
    first, second = joined(audience, "a", "b")
    for event in (
        KeyEvent("left", True),
        KeyEvent("c", True),
        KeyEvent("c", False),
        AxisEvent(1, 0.5),
        StickEvent(0, 1.0),
    ):
        audience.take(first, event)
    taken(inbox)
    audience.leave(first)
    assert not inbox.played and not audience.role(second)["played"]
    absent = AbsenceEvent("paused: no viewer plays")
    assert taken(inbox) == [KeyEvent("left", False), AxisEvent(1, None), StickEvent(0, 0.0), absent]
    audience.leave(first)  # a second time changes nothing
    audience.ask(second)
    assert audience.plays(second) and inbox.played


def test_a_page_that_comes_back_finds_its_place_free(audience):
    first, _ = joined(audience, "a", "b")
    audience.leave(first)
    (again,) = joined(audience, "a")
    assert audience.plays(again)


def test_or_taken(audience):
    first, second = joined(audience, "a", "b")
    audience.leave(first)
    audience.ask(second)
    (again,) = joined(audience, "a")
    assert audience.plays(second) and not audience.plays(again)


def test_a_new_page_does_not_take_the_place_of_one_that_may_come_back(audience):
    first, _ = joined(audience, "a", "b")
    audience.leave(first)
    (new,) = joined(audience, "c")
    assert not audience.plays(new)


def test_receipts_count_for_all_scenes_before():
    viewer = Viewer("a")
    scenes = [Scene(number, {"number": f"{number}"}, {}) for number in (3, 5)]
    assert all(viewer.send(scene, False, 0.0) for scene in scenes)
    assert viewer.drawn(2, 0.1) is None and viewer.drawn(4, 0.1) is None
    assert [sent.scene for sent in viewer.in_flight] == scenes[1:]
    assert viewer.drawn(5, 0.1).scene is scenes[1] and viewer.drawn(5, 0.1) is None


def moving(number, side=64, levels=256):
    """Return a scene whose frame is new in each of its pixels."""
    return Scene(number, {}, {"real": np.random.default_rng(number).integers(0, levels, (side, side, 3), np.uint8)})


def test_at_most_two_scenes_are_on_their_way_and_then_the_newest_comes():
    viewer = Viewer("a")
    assert viewer.send(moving(1), False, 0.0) and viewer.send(moving(2), False, 0.0)
    assert viewer.send(moving(3), False, 0.0) is None and viewer.send(moving(4), False, 0.0) is None
    assert viewer.drawn(1, 0.1).scene.number == 1
    assert viewer.send(moving(5), False, 0.1) and [sent.scene.number for sent in viewer.in_flight] == [2, 5]


def test_what_stands_still_follows_exactly_and_counts_once():
    viewer, scene = Viewer("a"), moving(1)
    sketch = viewer.send(scene, False, 0.0)
    assert len(sketch) < 3500 and viewer.exact is None and viewer.rest >= 0.3
    assert viewer.send(scene, False, 0.0) is None
    whole = viewer.send(scene, True, 1.0)
    assert len(whole) > 12000 and viewer.exact is scene and viewer.rest is None
    assert viewer.send(scene, True, 2.0) is None
    assert viewer.drawn(1, 2.0).is_new and not viewer.drawn(1, 2.0).is_new


def test_a_fast_line_gets_more_bytes_and_a_slow_one_fewer():
    viewer = Viewer("a")
    first = moving(1, 512, levels=4)
    for rests in (False, True):
        viewer.send(first, rests, 1.0)
        viewer.drawn(1, 1.05)
    assert viewer.limit > 300_000  # 2 bits of each of 512 x 512 x 3 numbers
    viewer.send(moving(9, 512, levels=4), False, 9)
    viewer.drawn(9, 9.1)
    assert viewer.exact.number == 9
    for number in range(10, 20):
        viewer.send(moving(number, 512, levels=4), False, number)
        viewer.drawn(number, number + 0.9)
    assert viewer.limit == 3000 and viewer.in_flight == deque() and viewer.exact.number < 14


def test_a_flood_of_events_ends_at_the_inbox(inbox):
    for _ in range(5000):
        inbox.put(KeyEvent("left", True))
    inbox.set_played(True)
    assert len(taken(inbox)) == 1000
