"""The loading of a session: the parts of its runs, their models as worlds, and the policy as a player."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from worldmodels.core.errors import UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.seeding import Streams
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.game_setup import GameSetup
from worldmodels.player.session.latents.latents_snapshot import NOT_TOLD, load_probe_reader
from worldmodels.player.session.loop import Prepare, Report
from worldmodels.player.session.players import PolicyPlayer
from worldmodels.player.session.runs import Run, count_models
from worldmodels.player.session.session import Session
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.worlds.frames import VectorRanges, row_of, vectors_of
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.real_world import RealWorld, ReplayStartWorld
from worldmodels.player.session.worlds.state_tracker import StateTracker

RECORDED_WINDOWS = 256
"""Windows of a run's experience from which the ranges of its numbers are taken."""


def loader(runs: Sequence[Run], setup: GameSetup, controls: Controls | BoxControls) -> Prepare:
    """Return the function that loads the runs' parts, builds the session and reports its progress."""
    options, with_models = setup.options, count_models(runs, setup.options) > 0
    with_policy = runs[0].config.trains_policy
    what = "world model" if with_models else "policy"

    def prepare(report: Report) -> Session:
        report("Starting TensorFlow")
        from worldmodels.loading.quiet import load_tensorflow

        load_tensorflow()
        from worldmodels.imagination.model_view import ModelView
        from worldmodels.loading.load import load_run

        report(f"Loading the {what}")
        loaded = [load_run(run.path).parts for run in runs]
        report(f"Compiling the {what}")
        streams = Streams(options.seed)
        calls = max(parts.model.spec.calls for parts in loaded) if with_models else 0
        settings = Settings(options, with_models, with_policy, calls)
        # Numbers stand beside those of the model, so the game itself is a picture wherever it draws one.
        human_view = runs[0].spec.image is None if with_models else options.view == "people"
        real = _real_world(runs[0], setup, human_view)
        trackers = [StateTracker(parts.model, streams) for parts in loaded]
        names = ["Model"] if len(runs) == 1 else [run.given.name for run in runs]
        models = [
            ModelWorld(ModelView(parts.world_model), tracker, streams, settings, name)
            for parts, tracker, name in zip(loaded, trackers, names, strict=True)
            if with_models
        ]
        for world, run in zip(models, runs, strict=False):  # where the models are played at all
            representation, tells = world.tracker.representation, hasattr(setup.env, "variables")
            world.probes = load_probe_reader(run.path, max(run.steps), representation) if tells else NOT_TOLD
        players = setup.players()
        if with_policy:
            imagined = models[0] if real.frozen else None
            players.insert(0, PolicyPlayer(loaded[0].agent, trackers[0], streams, settings, imagined))
        ranges = _recorded_ranges(runs[0], streams) if with_models else None
        session = Session(setup.env.title, real, controls, settings, models, players, setup.playing, ranges)
        session.warm_up()
        return session

    return prepare


def _real_world(run: Run, setup: GameSetup, human_view: bool) -> RealWorld | ReplayStartWorld:
    options = setup.options
    if options.alone == "model" and options.start == "recorded":
        from worldmodels.imagination.replay_starts import ReplayStarts
        from worldmodels.replay import ReplayReader

        reader = ReplayReader(RunDir.open(run.path).replay)
        starts = ReplayStarts(reader, run.config.evaluation.context)
        return ReplayStartWorld(starts, Streams(options.seed), run.spec.image)
    frozen = options.alone == "model"
    return RealWorld(setup.env, setup.recording.seed, human_view, frozen, run.spec.image)


def _recorded_ranges(run: Run, streams: Streams) -> VectorRanges:
    """Return the ranges of the numbers in a part of the run's experience; empty without experience."""
    from worldmodels.replay import ReplayReader

    ranges = VectorRanges()
    if not run.spec.vectors:
        return ranges
    with suppress(UserError):
        context = run.config.evaluation.context
        windows = ReplayReader(RunDir.open(run.path).replay).sample(
            RECORDED_WINDOWS, context, streams.generator("player/ranges"), "training"
        )
        for window in range(RECORDED_WINDOWS):
            shown = row_of(windows.observation, window)
            for step in range(context):
                ranges.add(vectors_of(row_of(shown, step)))
    return ranges
