"""Inside a model: its latents are read, held, changed, copied and pasted, and looking changes nothing.

The tiny model draws two groups of three classes, shows them as 100 times the class in the first two pixels, and adds
the class of the first to its reward.
"""

from __future__ import annotations

import numpy as np
import pytest
from keys import down, run, tap
from tiny_worlds import CopyingModel, LatentModel, SampledModel

from worldmodels.player.session.events import GroupEvent, KeyEvent
from worldmodels.player.session.latents.latents_snapshot import NONE_SAVED, ProbeReader


def classes(session):
    """Return the classes that the predicted frame shows."""
    return tuple((session.snapshot().models[0].frame[0, :2, 0] // 100).tolist())


@pytest.fixture
def opened(make_session):
    """A paused session after four steps, with the pane open."""
    session = make_session(model=LatentModel)
    run(session, 4, *down("d"))
    session.tick([KeyEvent("d", False), *tap("c", "m")])
    return session


def test_the_pane_shows_the_newest_step(opened):
    seen = opened.snapshot().latents
    assert (seen.model, seen.origin, seen.chosen, seen.held) == ("Model 0", "drawn", 0, (-1, -1))
    assert seen.classes == classes(opened)
    np.testing.assert_array_equal(seen.probabilities, LatentModel.expected)
    assert seen.sure == 1
    assert seen.open_bits == pytest.approx(0.2864 + 1.4855, abs=1e-3)
    opened.tick(tap("x"))
    assert (opened.snapshot().latents.origin, opened.snapshot().latents.classes) == ("read from the real frame", (2, 2))
    opened.tick(tap("escape"))
    assert opened.snapshot().latents is None and not opened.quit


def test_looking_changes_nothing(make_session):
    def play(pane):
        session, seen = make_session(model=LatentModel), []
        for tick in range(20):
            session.tick([*(tap("m") if pane and tick == 3 else ()), *({8: tap("x"), 12: tap("p")}.get(tick, ()))])
            now = session.snapshot()
            seen.append((now.models[0].frame.tobytes(), now.models[0].reward, now.real.frame.tobytes()))
        return seen

    assert play(pane=False) == play(pane=True)


def test_arrows_choose_a_group_and_letters_still_move(opened):
    chosen = []
    for key in ("down", "right", "up", "left"):
        opened.tick(tap(key))
        chosen.append(opened.snapshot().latents.chosen)
    assert chosen == [1, 0, 1, 0]
    assert opened.snapshot().step == 4
    opened.tick([GroupEvent(7)])
    assert opened.snapshot().latents.chosen == 1
    opened.tick(tap("d"))
    assert opened.snapshot().step == 5


def test_a_held_arrow_goes_on(opened):
    chosen = []
    for events in (down("down"), *[[]] * 6, [KeyEvent("down", False)], []):
        opened.tick(events)
        chosen.append(opened.snapshot().latents.chosen)
    assert chosen == [1, 1, 1, 1, 1, 0, 1, 1, 1]


def test_an_arrow_that_was_held_before_comes_up_in_the_game(make_session):
    session = make_session(model=LatentModel)
    session.tick(down("right"))
    session.tick([*tap("m"), KeyEvent("right", False)])
    session.tick()
    assert session.snapshot().action == "nothing"


def test_a_swap_takes_the_next_likely_class_and_changes_nothing_else(opened):
    """The order of the second group is 1, 2, 0."""
    opened.tick(tap("down"))
    before = opened.snapshot()
    (first, own), seen = classes(opened), []
    for _ in range(3):
        opened.tick(tap("f"))
        seen.append(classes(opened))
    order = [1, 2, 0, 1, 2, 0]
    start = order.index(own) + 1
    assert seen == [(first, other) for other in order[start : start + 3]]
    after = opened.snapshot()
    assert after.latents.origin == "changed by hand" and after.models[0].changed
    assert after.models[0].frame.tobytes() == before.models[0].frame.tobytes()  # three swaps are a whole round
    assert (after.step, after.real.frame.tobytes()) == (before.step, before.real.frame.tobytes())


def test_returns_and_the_time_line_are_those_of_the_changed_step(opened):
    before = opened.snapshot()
    opened.tick(tap("f"))
    after = opened.snapshot()
    gained = after.models[0].reward - before.models[0].reward
    assert gained == pytest.approx(classes(opened)[0] - before.latents.classes[0])
    assert gained != 0
    assert after.models[0].episode_return == pytest.approx(before.models[0].episode_return + gained)
    assert len(after.history) == len(before.history)
    assert after.history[:-1] == before.history[:-1]
    assert after.history[-1].models[0].reward == after.models[0].reward


def test_a_state_that_was_put_back_is_drawn_again_unpaid(opened):
    opened.tick(tap("x"))
    before = opened.snapshot().models[0]
    opened.tick(tap("f"))
    after = opened.snapshot().models[0]
    assert classes(opened)[0] == 0  # the first group's order is 0, 1, 2, and 2 was observed
    assert after.episode_return == before.episode_return
    assert (after.frame[1:] == before.frame[1:]).all()


def test_a_held_group_stays_while_the_others_are_drawn(opened):
    opened.tick(tap("g"))
    held = classes(opened)[0]
    assert opened.snapshot().notice == f"group 1 held at class {held}"
    opened.tick(tap("c"))
    seen = []
    for _ in range(20):
        opened.tick()
        seen.append(classes(opened))
    assert {first for first, _ in seen} == {held}
    assert {second for _, second in seen} == {0, 1, 2}
    opened.tick(tap("f"))
    assert opened.snapshot().latents.held == (classes(opened)[0], -1)
    assert opened.snapshot().models[0].held == 1
    opened.tick(tap("g"))
    assert opened.snapshot().latents.held == (-1, -1)


def test_what_is_held_waits_while_the_model_is_put_back(opened):
    opened.tick(tap("g"))
    held = classes(opened)[0]
    opened.tick(tap("x"))
    assert classes(opened) == (2, 2)
    opened.tick(tap("n"))
    assert classes(opened)[0] == held


def test_a_group_is_resampled_alone(opened):
    second, seen = classes(opened)[1], []
    for _ in range(20):
        opened.tick(tap("z"))
        seen.append(classes(opened))
    assert {first for first, _ in seen} == {0, 1, 2}
    assert {other for _, other in seen} == {second}


def test_latents_are_pasted_at_another_moment(opened):
    opened.tick(tap("f4"))
    assert opened.snapshot().notice == "no latents are copied yet: F3 copies those of a moment"
    opened.tick(tap("f3"))
    copied = classes(opened)
    opened.tick(tap("n"))
    opened.tick(tap("r"))
    opened.tick(tap("f4"))
    assert (classes(opened), opened.snapshot().notice) == (copied, "latents pasted")


def test_rewinding_restores_what_was_held_and_how_it_came_out(opened):
    told = []
    for key in ("g", "f", "n", "down", "z", "g", "f4", "n"):
        told.append((classes(opened), opened.snapshot().latents.held, opened.snapshot().models[0].episode_return))
        opened.tick(tap(key))
    for there in (7, 5, 4, 2, 1, 0):  # moving changes nothing that could be taken back, and there was nothing to paste
        opened.tick(tap("backspace"))
        now = opened.snapshot()
        assert (classes(opened), now.latents.held, now.models[0].episode_return) == told[there]


def test_a_saved_moment_comes_back_with_its_latents_and_goes_on_the_same(opened):
    opened.tick(tap("g", "f", "shift+f1"))
    first = [classes(opened)]
    for _ in range(2):
        opened.tick(tap("z"))
        opened.tick(tap("n"))
        first.append(classes(opened))
    opened.tick(tap("f1"))
    again = [classes(opened)]
    for _ in range(2):
        opened.tick(tap("z"))
        opened.tick(tap("n"))
        again.append(classes(opened))
    assert again == first


def test_changes_are_in_the_log(opened):
    held = classes(opened)[0]
    opened.tick(tap("g"))
    opened.tick(tap("f"))
    (episode,) = opened.log.episodes()
    assert list(episode.events) == [[4, f"group 1 held at class {held}"], [4, "latents", list(classes(opened))]]


def test_keys_of_the_pane_mean_nothing_while_it_is_closed(make_session):
    session = make_session(model=LatentModel)
    run(session, 3, *tap("g", "z", "f", "f3", "f4"))
    assert session.snapshot().models[0].held == 0 and not session.snapshot().models[0].changed


def test_a_model_without_latents_says_so(make_session):
    session = make_session(model=CopyingModel)
    run(session, 3, *tap("c", "m", "f"))
    now = session.snapshot()
    assert (now.latents.classes, now.latents.sure, now.latents.open_bits) == ((), 0, 0.0)
    assert now.latents.why_no_latents == "this model draws no discrete latents"
    assert now.notice == "this model draws no discrete latents"
    session.tick(tap("down", "right"))
    assert session.snapshot().latents.chosen == 0


def test_a_sampled_model_shows_how_the_newest_frame_was_drawn(make_session):
    session = make_session(model=SampledModel)
    run(session, 3, *tap("c", "m", "n"))
    now = session.snapshot()
    assert now.latents.drawing.stages.shape == (3, 64, 64, 3)
    np.testing.assert_array_equal(now.latents.drawing.stages[-1], now.models[0].frame)
    session._play.models[0].model.set_calls(5)
    np.testing.assert_array_equal(session.snapshot().latents.drawing.stages, now.latents.drawing.stages)
    session.tick(tap("x"))
    assert session.snapshot().latents.drawing is None  # a frame that was observed


def test_a_drawing_has_the_calls_of_its_step(make_session):
    session = make_session(model=SampledModel)
    run(session, 3, *tap("c", "m", "n"))
    run(session, 1, *tap("m"))
    session.tick(tap(*["tab"] * 2, "+"))  # the third setting
    assert ("calls for each frame", "4") in session.snapshot().settings
    session.tick(tap("m"))
    assert len(session.snapshot().latents.drawing.stages) == 3
    session.tick(tap("n"))
    assert len(session.snapshot().latents.drawing.stages) == 4


def test_a_game_alone_has_no_inside(make_session):
    session = make_session(models=0)
    session.tick(tap("m"))
    assert (session.snapshot().latents, session.snapshot().notice) == (None, "there is no world model here")


def test_probes_read_the_prediction_and_what_was_seen_beside_the_truth(opened):
    assert opened.snapshot().latents.why_no_readings == NONE_SAVED
    world = opened._play.models[0]
    units = {"age": "steps", "enemy": "cells", "seldom there": "cells"}
    world.probes = ProbeReader(units, (0.9, 0.5, float("nan")), lambda state: np.repeat(state["age"], 3))
    opened._play.real._env.variables = lambda: {"age": 4.0}
    age, enemy = opened.snapshot().latents.readings
    assert (age.name, age.unit, age.explained) == ("age", "steps", 0.9)
    assert (age.imagined, age.seen, age.truth) == (4.0, 0.0, 4.0)  # observing does not count
    assert enemy.truth is None


def test_a_model_alone_changes_what_its_policy_sees(make_session):
    session = make_session(model=LatentModel, alone=True)
    run(session, 3, *tap("c", "m", "n"))
    decided = []
    session._play.policy.decide_again = lambda: decided.append(True)
    session.tick(tap("f"))
    assert decided == [True]
    assert session.snapshot().latents.readings == ()
