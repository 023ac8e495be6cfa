"""Sessions of tiny worlds, and runs that hold them."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
from tiny_worlds import BUTTONS, MEANINGS, Field, ModelView, ReconstructingModel, RightPolicy, WalkModel

from worldmodels.config.run_config import RunConfig
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.seeding import Streams
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.players import PolicyPlayer, RandomPlayer, ScriptPlayer
from worldmodels.player.session.session import Session
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.real_world import RealWorld
from worldmodels.player.session.worlds.state_tracker import StateTracker

KEYS = "0 press right\n5 press up\n9 release up\n12 tap x\n15 tap p\n18 tap space\n20 tap r\n24 tap c\n"


@pytest.fixture(autouse=True)
def remembered(tmp_path, monkeypatch):
    """The file in which windows remember their size: none of the person's own who runs the tests."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "worldmodels" / "window.json"


@pytest.fixture
def make_session():
    """Build a session of the tiny worlds; `models` counts those of the learned ones."""

    def make(
        length=1000,
        models=1,
        with_policy=True,
        human_view=False,
        seed=0,
        playing="",
        script=(),
        alone=False,
        model=WalkModel,
        **options,
    ):
        streams, settings = Streams(seed), Settings(PlayOptions(**options), models > 0, with_policy, model.spec.calls)
        real = RealWorld(Field(length), seed=1, human_view=human_view, frozen=alone)
        trackers = [StateTracker(model(), streams) for _ in range(max(models, 1))]
        worlds = [
            ModelWorld(ModelView(tracker.representation), tracker, streams, settings, f"Model {i}")
            for i, tracker in enumerate(trackers[:models])
        ]
        players = (
            [PolicyPlayer(RightPolicy(), trackers[0], streams, settings, worlds[0] if alone else None)]
            if with_policy
            else []
        )
        players += [RandomPlayer(15, streams), *([ScriptPlayer(script)] if script else [])]
        return Session("Field", real, Controls(BUTTONS, MEANINGS), settings, worlds, players, playing)

    return make


@pytest.fixture
def keys(tmp_path):
    path = tmp_path / "keys.txt"
    path.write_text(KEYS)
    return path


@pytest.fixture
def run_folder(tmp_path, monkeypatch, make_session):
    """A run whose parts are the tiny model and policy; loading them needs no TensorFlow."""
    folder = tmp_path / "run"
    run = RunDir.create(folder, RunConfig(), {})
    Checkpoints(run.checkpoints).write(0, {"model": {}, "agent": {}})
    session = make_session(model=ReconstructingModel)
    model = session._play.models[0].model.model
    parts = SimpleNamespace(model=model, world_model=model, agent=session._play.policy._agent)
    loading = ModuleType("worldmodels.loading.load")
    loading.load_run = lambda path, step=None: SimpleNamespace(parts=parts)
    monkeypatch.setitem(sys.modules, "worldmodels.loading.load", loading)
    view = ModuleType("worldmodels.imagination.model_view")
    view.ModelView = type(session._play.models[0].model)
    monkeypatch.setitem(sys.modules, "worldmodels.imagination.model_view", view)
    return folder


@pytest.fixture
def window(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
