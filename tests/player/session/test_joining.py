"""Models that join a real game which is already played, and the same moment by models of other checkpoints."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from keys import down, run, tap
from tiny_worlds import Field, ReconstructingModel

from worldmodels.core.errors import RunError
from worldmodels.player.session.background_task import Newcomers
from worldmodels.player.session.events import KeyEvent, SeekEvent
from worldmodels.player.session.loop import play
from worldmodels.player.session.rewind import live_again
from worldmodels.player.session.worlds import real_world
from worldmodels.player.session.worlds.real_world import RealWorld
from worldmodels.player.view.panels.columns import columns_of


class Loading:
    """A loading that ends when its `running` is set to False."""

    def __init__(self, newcomers=None, error=None):
        self.status, self.running, self.stopped = "Starting TensorFlow", True, False
        self._newcomers, self._error = newcomers, error

    def result(self):
        if self._error:
            raise self._error
        return self._newcomers

    def stop(self):
        self.stopped = True


@pytest.fixture
def early(make_session):
    """A session of the game alone, and the loading of a model and a policy for it."""
    donor = make_session(model=ReconstructingModel)
    loading = Loading(Newcomers(donor._play.models, donor._play.policy, None))
    session = make_session(models=0, with_policy=False)
    session.wait_for(loading, ["Model"], reconstructs=True)
    return session, loading


def test_the_game_is_played_alone_until_the_models_join_and_go_on_from_there(early, make_session):
    session, loading = early
    alone = run(session, 5, *down("right"))
    assert (alone.models, alone.awaited.status, alone.step) == ((), "Starting TensorFlow", 5)
    assert not session.welcome()
    loading.running = False
    assert session.welcome() and not session.awaits
    joined = session.snapshot()
    assert (joined.step, joined.since_put_back, joined.awaited) == (5, 0, None)
    assert (joined.models[0].frame == joined.real.frame).all()
    assert (joined.models[0].reconstruction == joined.real.frame).all()
    assert joined.models[0].episode_return == joined.real.episode_return == 5.0
    assert [(entry.mark, len(entry.models)) for entry in joined.history] == [("put back", 1)]
    whole = make_session(model=ReconstructingModel)
    run(whole, 5, *down("right"))
    whole.tick(tap("x"))
    session.tick()
    assert session.snapshot().models[0].episode_return == pytest.approx(5.9)
    assert session.snapshot().policy_panel is not None


def test_joining_at_once_is_the_session_that_was_loaded_whole(early, make_session):
    session, loading = early
    loading.running = False
    session.welcome()
    whole = make_session(model=ReconstructingModel)
    for tick in range(12):
        events = {0: down("right"), 5: tap("x"), 8: tap("p")}.get(tick, ())
        session.tick(events)
        whole.tick(events)
        ours, theirs = session.snapshot(), whole.snapshot()
        assert (ours.models[0].frame == theirs.models[0].frame).all()
        assert (ours.history, ours.player) == (theirs.history, theirs.player)


def test_joining_is_not_taken_back(early):
    session, loading = early
    run(session, 4)
    loading.running = False
    session.welcome()
    session.tick(tap("backspace"))
    assert (session.snapshot().notice, session.snapshot().step) == ("this is as far back as it goes", 4)


def test_what_needs_a_model_says_that_it_is_loaded_and_the_game_ends_and_rewinds_meanwhile(early):
    session, loading = early
    session.tick(tap("b"))
    assert session.snapshot().notice == "the world model is still loaded"
    run(session, 3, *down("right"))
    session.tick([KeyEvent("right", False), *tap("backspace", "r", "c")])
    loading.running = False
    session.welcome()
    seen = session.snapshot()
    assert (seen.episode, seen.step, seen.history[0].mark) == (2, 1, "put back")
    assert (seen.models[0].frame == seen.real.frame).all()


def test_an_error_of_loading_is_raised_by_play(make_session):
    session, loading = make_session(models=0, with_policy=False), Loading(error=RunError("damaged"))
    session.wait_for(loading, ["Model"], False)
    loading.running = False
    nobody = SimpleNamespace(closed=False, take=lambda due: [], show=lambda *what: None)
    with pytest.raises(RunError, match="damaged"):
        next(play(session, nobody, nobody, {}))
    stopped = make_session(models=0)
    stopped.wait_for(loading, [], False)
    stopped.stop_loading()
    assert loading.stopped


def test_models_join_while_play_waits_for_its_first_key(early):
    session, loading = early
    shown, waves = [], [[], [], down("right"), []]

    def take(due):
        assert due(False) < float("inf") or not session.awaits, "it looks for the models without a key"
        loading.running = len(waves) > 3
        return waves.pop(0)

    screen = SimpleNamespace(
        closed=False,
        take=take,
        show=lambda *what: None,
        show_ready=lambda session: shown.append(len(session.snapshot().models)),
    )
    next(play(session, screen, screen, {}, waits_for_key=True))
    assert shown == [0, 0, 1]
    assert session.snapshot().real.episode_return == 1


@pytest.mark.parametrize(
    ("names", "reconstructs", "columns"),
    [
        (["Model"], False, ["Model", "Real", "Difference"]),
        (["Model"], True, ["Seen", "Model", "Real", "Difference"]),
        (["a", "b"], True, ["a", "Difference", "Real", "Difference", "b"]),
    ],
)
def test_models_have_their_places_before_they_are_there(make_session, names, reconstructs, columns):
    session = make_session(models=0)
    session.wait_for(Loading(), names, reconstructs)
    found = columns_of(session.snapshot())
    assert [column.name for column in found] == columns
    assert [column.name for column in found if column.frame is not None] == ["Real"]
    assert {column.wait for column in found if column.name in names} == {"Starting TensorFlow"}


def test_a_world_keeps_the_newest_steps_of_its_episode(monkeypatch):
    monkeypatch.setattr(real_world, "KEPT_STEPS", 3)
    world = RealWorld(Field(1000), seed=1)
    world.reset()
    seen = [world.observation]
    for action in (7, 7, 1, 7, 3):
        world.step(action)
        seen.append(world.observation)
    saved = world.save()
    assert world.first is seen[2]
    assert [action for action, _ in world.context] == [1, 7, 3]
    assert [observation is kept for (_, observation), kept in zip(world.context, seen[3:], strict=True)] == [True] * 3
    world.step(7)
    world.load(saved)
    assert world.first is seen[2] and len(world.context) == 3
    world.reset()
    assert not world.context


class Kept:
    """Three checkpoints of a model; that of step 10 draws pictures that are darker by 40."""

    def __init__(self, model):
        self.step, self._model, self._frame = 1000, model, model.frame

    def steps(self):
        return [10, 100, 1000]

    def use(self, step):
        self.step = step
        darker = 40 * (step == 10)

        def frame(state, before=None):
            return np.maximum(self._frame(state, before).astype(int) - darker, 0).astype(np.uint8)

        self._model.frame = frame


@pytest.fixture
def trained(early):
    """A session whose model has three checkpoints, and those."""
    session, loading = early
    newcomers = loading.result()
    kept = Kept(newcomers.models[0].model.model)
    loading._newcomers, loading.running = newcomers._replace(checkpoints=kept), False
    session.welcome()
    return session, kept


def press(session, key):
    session.tick(tap(key))
    session.do_pending()


def told(seen):
    model = seen.models[0]
    frames = (model.frame.tobytes(), model.reconstruction.tobytes(), seen.real.frame.tobytes())
    return *frames, seen.history, model.episode_return, model.ended, seen.step, seen.since_put_back, seen.action


def test_another_checkpoint_lives_the_same_moment_and_the_first_one_comes_back_exactly(trained):
    session, kept = trained
    run(session, 6, *down("right"))
    session.tick(tap("x"))
    run(session, 4)
    session.tick(tap("c"))
    before = session.snapshot()
    press(session, "page down")
    seen = session.snapshot()
    assert (seen.checkpoint, seen.notice) == ("100", "the model as it was at step 100")
    assert told(seen) == told(before), "these checkpoints are alike"
    press(session, "page down")
    seen = session.snapshot()
    assert (kept.step, seen.step, seen.since_put_back) == (10, before.step, before.since_put_back)
    assert (seen.models[0].frame == np.maximum(before.models[0].frame.astype(int) - 40, 0)).all()
    assert (seen.real.frame == before.real.frame).all()
    assert [entry.mark for entry in seen.history] == [entry.mark for entry in before.history]
    assert seen.history[-1].models[0].image_error > 30 > before.history[-1].models[0].image_error
    press(session, "page down")
    assert session.snapshot().notice == "no earlier checkpoint is kept"
    press(session, "page up")
    press(session, "page up")
    assert told(session.snapshot()) == told(before)
    assert session.log.episodes()[0].events[-1][1:] == ["checkpoint", 1000]


def test_rewinding_goes_on_with_the_models_that_are_there(trained):
    session, _ = trained
    run(session, 6, *down("right"))
    session.tick([KeyEvent("right", False), *tap("c")])
    press(session, "page down")
    press(session, "page down")
    step = session.snapshot().step
    session.tick(tap("backspace"))
    seen = session.snapshot()
    assert (seen.step, seen.since_put_back, seen.checkpoint) == (step - 1, step - 1, "10")
    assert seen.models[0].frame.max() <= 255 - 40
    assert (seen.models[0].reconstruction < seen.real.frame).any()


def test_a_model_without_its_game_begins_again_where_it_began(make_session):
    session = make_session(alone=True, with_policy=False)
    first = session.snapshot().models[0].frame
    run(session, 5, *down("right"))
    live_again(session._play)
    seen = session.snapshot()
    assert (seen.step, seen.since_put_back, seen.models[0].episode_return) == (0, 0, 0.0)
    assert (seen.models[0].frame == first).all()


def test_the_time_line_leads_on_again_after_the_models_were_changed(trained):
    session, _ = trained
    run(session, 6, *down("right"))
    session.tick(tap("x"))
    run(session, 4)
    session.tick(tap("c"))
    press(session, "page down")
    now = session.snapshot()
    session.tick([SeekEvent(len(now.history) - 1 - 3)])
    seen = session.snapshot()
    assert (seen.step, seen.present, len(seen.history)) == (3, 3, len(now.history))
    session.tick([SeekEvent(0)])
    assert told(session.snapshot()) == told(now)
