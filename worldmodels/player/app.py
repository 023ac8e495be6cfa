"""The player's entry: it plays one or two runs, or a game alone, in a window, in a browser, or into a video."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from worldmodels.core.errors import UserError
from worldmodels.core.output import print_text
from worldmodels.envs.games.levels import has_test_levels, level_words
from worldmodels.envs.games.table import HUMAN_SIZE
from worldmodels.models.api import ModelSpec
from worldmodels.player.session.controls.key_script import KeyScript, read_script
from worldmodels.player.session.controls.key_table import Command
from worldmodels.player.session.game_setup import GameSetup, set_up_game, set_up_run
from worldmodels.player.session.loading import Loader
from worldmodels.player.session.loop import Prepare, Report, Unattended, play
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.runs import Run, check_together, count_models
from worldmodels.player.session.session import Session
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.worlds.frames import Frame
from worldmodels.player.session.worlds.real_world import RealWorld
from worldmodels.player.view.capture import Film
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.panels.columns import count_columns
from worldmodels.player.view.panels.help_screen import make_guide
from worldmodels.player.view.window import run_window
from worldmodels.player.web.serve import run_web
from worldmodels.recordings.action_recording import write_recording
from worldmodels.telemetry.video import write_video

ZOOMS = {0: 8, 1: 10, 2: 8, 3: 6, 4: 5, 5: 4}
"""Screen pixels for each pixel of a 64x64 frame, by the number of columns; the window stays about as wide."""
ENDINGS = (signal.SIGTERM, signal.SIGHUP)
"""The signals that end play as Ctrl-C does: a machine shuts down, or a terminal is closed."""
OF_RUNS = ("alone", "start", "policy", "temperature", "policy_temperature", "put_back_every")
"""The options of the player that have no effect on a game alone."""


def play_runs(paths: Sequence[str | Path], options: PlayOptions | None = None) -> None:
    """Play in a run's world model beside the real game and their difference; with two runs, in both models.

    A run without a world model plays the real game alone, with the run's policy. A run without a checkpoint plays it
    without the policy. With two runs, the first run gives the game and the policy. A recorded script plays on its own
    levels.

    Raises:
        UserError: a run is missing or damaged, there are more than two, or two do not fit together. Or the script is of
            another game, the key script has a mistake, or there is no display.
    """
    options = options or PlayOptions()
    keys = _read_keys(options)
    runs = [Run.open(path) for path in paths]
    check_together(runs)
    first = runs[0]
    if not first.steps:
        print_text(f"The run '{first.path}' has no checkpoint yet, so the real game is played without a model.")
        _play_alone(set_up_run(first.config.env, options, "rgb_array"), keys)
        return
    models = count_models(runs, options)
    if models and options.view != PlayOptions.view:
        raise UserError(f"The view is that of a game alone: leave out --view {options.view}, or play --alone real.")
    beside = (first.name, first.step) if models else ("", None)
    setup = set_up_run(first.config.env, options, None if models else "rgb_array", *beside)
    env = setup.env
    controls = setup.controls()
    players = len(setup.players()) + first.config.trains_policy
    of_images = first.spec.image is not None
    kept = [Command.EPISODES] if first.has_experience and options.alone != "model" else []
    kept += [Command.EARLIER, Command.LATER] if len(first.steps) > 1 else []
    shown = (models > 0, players, of_images, not options.web, kept)
    guide = make_guide(env.title, env.rules, controls, *shown)
    columns = count_columns(models, first.spec.reconstructs, options.alone == "model") if models else 0
    frame_size, numbers = _frame_size(first.spec) if models else ((HUMAN_SIZE, HUMAN_SIZE), 0)
    source = "   ".join(run.source for run in runs)
    if has_test_levels(first.config.env):
        source += f"   {level_words(first.config.env, options.levels)}"
    painter = Painter(guide, frame_size, columns, source, numbers)
    loader = Loader(runs, setup, controls)
    _play(painter, loader.game_first if _is_played_by_hand(options, keys) else loader.whole, setup, keys)


def play_game(name: str, options: PlayOptions | None = None, settings: Mapping[str, Any] | None = None) -> None:
    """Play a real game without a model, in people's view.

    Args:
        settings: the environment's options, for example {"distribution_mode": "hard"}.

    Raises:
        UserError: no such game or option, a script of another one, no display, a mistake in the key script.
    """
    options = options or PlayOptions()
    for key in OF_RUNS:
        if (value := getattr(options, key)) != getattr(PlayOptions, key):
            raise UserError(
                f"The option '{key}' is for a run: a game alone has no world model and no policy. Received {value!r}."
            )
    _play_alone(set_up_game(name, settings or {}, options, "rgb_array"), _read_keys(options))


def play_headless(
    painter: Painter, session: Session, keys: KeyScript, zoom: int, ticks: int, folder: str | Path
) -> Iterator[Frame]:
    """Yield the picture after each tick, uint8 (H, W, 3), until `ticks` are done or the key script presses Esc.

    Args:
        folder: the folder of the pictures that key F2 saves.
    """
    film, nobody = Film(painter, zoom, folder), Unattended()
    for changed in play(session, nobody, nobody, keys, ticks):
        yield film.frame(session)
        film.follow(session, changed)
    film.finish(session)


def _is_played_by_hand(options: PlayOptions, keys: KeyScript) -> bool:
    """Return whether a person plays a real game from the start, who can begin while the models are loaded."""
    others = keys or options.policy or options.script or options.steps or options.headless
    return not others and options.alone != "model"


def _frame_size(spec: ModelSpec) -> tuple[tuple[int, int], int]:
    """Return width and height of a frame, and the count of numbers below it; without images, these fill the frame."""
    parts = dict(spec.observation.parts)
    if spec.image is None:
        return (64, 64), 0
    height, width, _ = parts[spec.image].shape
    return (width, height), sum(parts[name].size for name in spec.vectors)


def _play_alone(setup: GameSetup, keys: KeyScript) -> None:
    env, options = setup.env, setup.options
    controls = setup.controls()
    real = RealWorld(env, setup.recording.seed, human_view=options.view == "people")
    settings = Settings(options, with_model=False, with_policy=False)
    players = setup.players()
    session = Session(env.title, real, controls, settings, players=players, playing=setup.playing)
    guide = make_guide(env.title, env.rules, controls, False, len(players), in_window=not options.web)
    _play(Painter(guide, (HUMAN_SIZE, HUMAN_SIZE)), lambda report: session, setup, keys)


def _play(painter: Painter, prepare: Prepare, setup: GameSetup, keys: KeyScript) -> None:
    options = setup.options
    zoom = options.zoom or ZOOMS[painter.columns]
    session: Session | None
    played: list[Session] = []
    with _interrupted_by_signals(played), closing(setup.env), _recording(prepare, setup, played) as prepare:
        if options.headless and options.video:
            session = prepare(lambda status: print_text(f"{status} ..."))
            ticks = options.steps or max(keys, default=0) + 1
            pictures = play_headless(painter, session, keys, zoom, ticks, options.pictures)
            write_video(options.video, pictures, options.rate, options.width)
        else:
            run = run_web if options.web else run_window
            session = run(painter, prepare, options, keys, zoom)
    if session is None:
        return
    print_text(session.totals.text(painter.columns > 0))
    if options.video:
        print_text(f"Wrote {options.video}.")


@contextmanager
def _interrupted_by_signals(sessions: Sequence[Session]) -> Iterator[None]:
    """Let the first of `ENDINGS` interrupt play, so that files are written; later ones do not interrupt the writing.

    Sessions end at their next tick, too, since an exception that is raised while Python frees an object is lost.
    Signals that are ignored, for example under nohup, stay ignored. Python has signals in its main thread alone.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        for ending in before:
            signal.signal(ending, signal.SIG_IGN)
        received.append(number)
        for session in sessions:
            session.quit = True
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler):  # a process in the background of a script ignores Ctrl-C
            raise KeyboardInterrupt
        handler(signal.SIGINT, frame)

    in_main = threading.current_thread() is threading.main_thread()
    handlers = {ending: signal.getsignal(ending) for ending in ENDINGS if in_main}
    before = {ending: handler for ending, handler in handlers.items() if handler is not signal.SIG_IGN}
    for ending in before:
        signal.signal(ending, interrupt)
    try:
        yield
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)
    if received:
        raise KeyboardInterrupt


@contextmanager
def _recording(prepare: Prepare, setup: GameSetup, sessions: list[Session]) -> Iterator[Prepare]:
    """Stop the session's loading and write its recording, also when an error, Ctrl-C or a signal ends it.

    Args:
        sessions: gets that session.
    """

    def keep(report: Report) -> Session:
        sessions.append(prepare(report))
        return sessions[0]

    try:
        yield keep
    finally:
        for session in sessions:
            session.stop_loading()
        path = setup.options.record
        if path and sessions:
            write_recording(path, replace(setup.recording, episodes=sessions[0].log.episodes()))
            print_text(f"Wrote {path}.")


def _read_keys(options: PlayOptions) -> KeyScript:
    return {} if options.key_script is None else read_script(Path(options.key_script))
