"""The loading of a session: first the game alone, then the models of its runs as worlds, and the policy as a player."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from worldmodels.core.errors import UserError
from worldmodels.core.seeding import Streams
from worldmodels.core.specs import Observation
from worldmodels.player.session.background_task import BackgroundTask, Newcomers
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.episodes.recorded_world import RecordedWorld, RunEpisodes
from worldmodels.player.session.game_setup import GameSetup
from worldmodels.player.session.latents.latents_snapshot import NOT_TOLD, load_probe_reader
from worldmodels.player.session.loop import Report
from worldmodels.player.session.players import PolicyPlayer
from worldmodels.player.session.runs import Run, count_models
from worldmodels.player.session.session import Session
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.worlds.frames import VectorRanges, row_of, vectors_of
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.real_world import RealWorld, ReplayStartWorld
from worldmodels.player.session.worlds.state_tracker import StateTracker

if TYPE_CHECKING:
    from worldmodels.acting.build import Parts
    from worldmodels.imagination.model_view import ModelView
    from worldmodels.loading.load import LoadedRun

RECORDED_WINDOWS = 256
"""Windows of a run's experience from which the ranges of its numbers are taken."""


class Loader:
    """The loader of a session of one or two runs."""

    def __init__(self, runs: Sequence[Run], setup: GameSetup, controls: Controls | BoxControls) -> None:
        self._runs, self._setup, self._controls = runs, setup, controls
        self._with_models = count_models(runs, setup.options) > 0
        self._with_policy = runs[0].config.trains_policy
        self._streams = Streams(setup.options.seed)
        calls = max(run.spec.calls for run in runs) if self._with_models else 0
        self._settings = Settings(setup.options, self._with_models, self._with_policy, calls)
        names = ["Model"] if len(runs) == 1 else [run.title for run in runs]
        self._names = names if self._with_models else []

    def whole(self, report: Report) -> Session:
        """Return the session when all is loaded."""
        session, real = self._game()
        session.join(self._load(real, report), self._setup.playing)
        return session

    def game_first(self, report: Report) -> Session:
        """Return the session of the real game at once; its owner stops the loading of the models that join it."""
        session, real = self._game()
        loading = BackgroundTask(lambda status: self._load(real, status))
        session.wait_for(loading, self._names, self._runs[0].spec.reconstructs)
        return session

    def _game(self) -> tuple[Session, RealWorld | ReplayStartWorld]:
        """Return the session without models, and its real world."""
        title, players, real = self._setup.env.title, self._setup.players(), self._real_world()
        return Session(title, real, self._controls, self._settings, players=players), real

    def _real_world(self) -> RealWorld | ReplayStartWorld:
        setup, run = self._setup, self._runs[0]
        options = setup.options
        if options.alone == "model" and options.start == "recorded":
            from worldmodels.imagination.replay_starts import ReplayStarts
            from worldmodels.replay import ReplayReader

            reader = ReplayReader(run.replay)
            starts = ReplayStarts(reader, run.config.evaluation.context)
            return ReplayStartWorld(starts, self._streams, run.spec.image)
        # Numbers stand beside those of the model, so the game itself is a picture wherever it draws one.
        human_view = run.spec.image is None if self._with_models else options.view == "people"
        return RealWorld(setup.env, setup.recording.seed, human_view, options.alone == "model", run.spec.image)

    def _load(self, real: RealWorld | ReplayStartWorld, report: Report) -> Newcomers:
        """Return the models and the policy, compiled; `report` gets the present work."""
        what = "world model" if self._with_models else "policy"
        report("Starting TensorFlow")
        from worldmodels.loading.quiet import load_tensorflow

        load_tensorflow()
        from worldmodels.imagination.model_view import ModelView
        from worldmodels.loading.load import load_run

        report(f"Loading the {what}")
        runs = [load_run(run.path, None if run.wanted is None else run.step) for run in self._runs]
        loaded = [run.parts for run in runs]
        views = [ModelView(parts.world_model) for parts in loaded] if self._with_models else []
        report(f"Compiling the {what}")
        _compile(self._newcomers(loaded, views), real.first)
        found = self._newcomers(loaded, views)
        for world, run in zip(found.models, self._runs, strict=False):  # where the models are played at all
            self._probe(world, run.path, run.step)
        if not found.models:
            return found
        first, path = found.models[0], self._runs[0].path
        kept = _Kept(runs[0], self._runs[0].step, lambda step: self._probe(first, path, step))
        episodes = None if real.frozen else _recorded_episodes(self._runs[0])
        return found._replace(checkpoints=kept if len(self._runs[0].steps) > 1 else None, episodes=episodes)

    def _probe(self, world: ModelWorld, run: Path, step: int) -> None:
        tells = hasattr(self._setup.env, "variables")
        world.probes = load_probe_reader(run, step, world.tracker.representation) if tells else NOT_TOLD

    def _newcomers(self, loaded: Sequence[Parts], views: Sequence[ModelView]) -> Newcomers:
        trackers = [StateTracker(parts.model, self._streams) for parts in loaded]
        models = [
            ModelWorld(view, tracker, self._streams, self._settings, name)
            for view, tracker, name in zip(views, trackers, self._names, strict=False)
        ]
        policy = None
        if self._with_policy:
            imagined = models[0] if models else None
            policy = PolicyPlayer(loaded[0].agent, trackers[0], self._streams, self._settings, imagined)
        return Newcomers(models, policy, _recorded_ranges(self._runs[0], self._streams) if models else None)


class _Kept:
    """The kept checkpoints of a run."""

    def __init__(self, run: LoadedRun, step: int, changed: Callable[[int], None]) -> None:
        self._run, self.step, self._changed = run, step, changed

    def steps(self) -> list[int]:
        return self._run.steps()

    def use(self, step: int) -> None:
        self.step = self._run.at(step).step
        self._changed(step)


def _compile(parts: Newcomers, first: Observation) -> None:
    """Compile all functions of a step with parts that nobody plays, on the first observation of an episode."""
    for tracker in [*(model.tracker for model in parts.models), *([parts.policy.tracker] if parts.policy else [])]:
        tracker.reset(first)
    for model in parts.models:
        model.put_back()
        model.reconstruct()
        model.warm_up()
    if parts.policy:
        parts.policy.reset()


def _recorded_episodes(run: Run) -> RecordedWorld | None:
    """Return the episodes of the run's experience; None if it keeps none."""
    from worldmodels.replay import ReplayReader

    with suppress(UserError):
        episodes = RunEpisodes(ReplayReader(run.replay))
        if episodes.spans:
            return RecordedWorld(episodes, run.spec.image)
    return None


def _recorded_ranges(run: Run, streams: Streams) -> VectorRanges:
    """Return the ranges of the numbers in a part of the run's experience; empty without experience."""
    from worldmodels.replay import ReplayReader

    ranges = VectorRanges()
    if not run.spec.vectors:
        return ranges
    with suppress(UserError):
        context = run.config.evaluation.context
        windows = ReplayReader(run.replay).sample(
            RECORDED_WINDOWS, context, streams.generator("player/ranges"), "training"
        )
        for window in range(RECORDED_WINDOWS):
            shown = row_of(windows.observation, window)
            for step in range(context):
                ranges.add(vectors_of(row_of(shown, step)))
    return ranges
