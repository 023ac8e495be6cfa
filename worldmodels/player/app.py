"""Where the command line enters: play one or two runs, or a game alone, in a window or without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldmodels.core.checkpoint import Checkpoints
from worldmodels.core.config import load_config
from worldmodels.core.errors import UserError
from worldmodels.core.run_dir import RunDir
from worldmodels.core.seeding import Streams
from worldmodels.envs import EnvConfig, GameEnv, make
from worldmodels.envs.config import game_options
from worldmodels.envs.games import HUMAN_SIZE
from worldmodels.envs.making import is_native
from worldmodels.models.frame_stack_config import FrameStackConfig
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.player.columns import count_columns
from worldmodels.player.controls import Controls
from worldmodels.player.draw import Painter
from worldmodels.player.foreign import ForeignGame
from worldmodels.player.headless import play_headless
from worldmodels.player.help_screen import make_guide
from worldmodels.player.options import PlayOptions
from worldmodels.player.players import Player, PolicyPlayer, RandomPlayer, ScriptPlayer
from worldmodels.player.script import KeyScript, read_script
from worldmodels.player.session import Session
from worldmodels.player.settings import Settings
from worldmodels.player.window import Prepare, Report, run_window
from worldmodels.player.worlds import ModelWorld, RealWorld, RecordedWorld, Watcher
from worldmodels.runtime.action_file import Played, read_played, write_played
from worldmodels.runtime.config import RunConfig
from worldmodels.telemetry.video import write_video

ZOOMS = {0: 8, 1: 10, 2: 8, 3: 6, 4: 5, 5: 4}
"""Screen pixels for each pixel of a 64x64 frame, by the number of columns; the window stays about as wide."""


@dataclass(frozen=True)
class _Run:
    """What is known of a run before anything heavy is loaded."""

    path: Path
    config: RunConfig
    steps: tuple[int, ...]
    """Of its checkpoints."""

    @classmethod
    def open(cls, path: str | Path) -> _Run:
        run_dir = RunDir.open(path)
        return cls(
            Path(path), load_config(RunConfig, [run_dir.config]), tuple(Checkpoints(run_dir.checkpoints).steps())
        )

    @property
    def has_model(self) -> bool:
        return not isinstance(self.config.model, FrameStackConfig)

    @property
    def source(self) -> str:
        return f"{self.path}, step {max(self.steps):,}"


def play_runs(paths: Sequence[str | Path], options: PlayOptions | None = None) -> None:
    """Play in the world model of a run, beside the real game and their difference; of two runs, in both at once.

    A run without a world model is played as the real game alone, by a person or by its policy; so is one that has no
    checkpoint yet, by a person; one that trains no policy, without the policy. Of two runs, the first one's policy
    plays, in the first one's game.

    Raises:
        UserError: no such run, a damaged one, more than two, two that do not fit together, no display, a mistake in
            the key script.
    """
    options = options or PlayOptions()
    script = _script(options)
    runs = [_Run.open(path) for path in paths]
    _check_together(runs)
    first = runs[0]
    if not first.steps:
        print(f"The run '{first.path}' has no checkpoint yet, so no world model: the real game is played alone.")
        _play_alone(
            _make(first.config.env, options, "rgb_array"), options, script, _played(first.config.env, options, None)
        )
        return
    models = _count_models(runs, options)
    env = _make(first.config.env, options, None if models else "rgb_array")
    controls = Controls(env.action_keys, env.action_meanings)
    players = 1 + first.config.trains_policy + bool(options.script)
    guide = make_guide(env.title, env.rules, controls, models > 0, players)
    paints = isinstance(first.config.model, RSSMConfig)
    columns = count_columns(models, paints, options.alone == "model") if models else 0
    height, width = (env.observation_space.shape or (64, 64))[:2] if models else (HUMAN_SIZE, HUMAN_SIZE)
    painter = Painter(guide, (width, height), columns, "   ".join(run.source for run in runs))
    prepare = _loader(runs, env, controls, options)
    _play(painter, prepare, options, script, _played(first.config.env, options, first if models else None))


def play_game(name: str, options: PlayOptions | None = None, settings: Mapping[str, Any] | None = None) -> None:
    """Play a real game alone, as people see it.

    Args:
        settings: the environment's options, for example {"distribution_mode": "hard"}.

    Raises:
        UserError: no such game or option, no display, a mistake in the key script.
    """
    options = options or PlayOptions()
    env = make(name, "rgb_array", **(settings or {}))
    _play_alone(env, options, _script(options), Played(name, settings or {}, _env_seed(options), ()))


def _play_alone(env: GameEnv | ForeignGame, options: PlayOptions, script: KeyScript, played: Played) -> None:
    controls, streams = Controls(env.action_keys, env.action_meanings), Streams(options.seed)
    real = RealWorld(env, _env_seed(options), human_view=options.view == "people")
    settings = Settings(options, with_model=False, with_policy=False)
    players: list[Player] = [RandomPlayer(len(env.action_keys), streams), *_scripts(options)]
    session = Session(env.title, real, controls, settings, players=players, playing=_playing(options))
    guide = make_guide(env.title, env.rules, controls, with_model=False, players=len(players))
    _play(Painter(guide, (HUMAN_SIZE, HUMAN_SIZE)), lambda report: session, options, script, played)


def _check_together(runs: Sequence[_Run]) -> None:
    if len(runs) > 2:
        raise UserError(f"The player shows one run, or two beside each other. Received {len(runs)}.")
    if len(runs) < 2:
        return
    for run in runs:
        if not run.has_model or not run.steps:
            why = "has no checkpoint yet" if run.has_model else "has no world model"
            raise UserError(f"Two runs are played as two models beside one reality, and the run '{run.path}' {why}.")
    games = [run.config.env.games[0] for run in runs]
    if games[0] != games[1]:
        raise UserError(
            f"Two models are played beside one reality, so both must know the same game: '{runs[0].path}' knows "
            f"'{games[0]}', '{runs[1].path}' knows '{games[1]}'."
        )


def _count_models(runs: Sequence[_Run], options: PlayOptions) -> int:
    """How many models are played."""
    if options.alone == "model" and not runs[0].has_model:
        raise UserError(f"The run '{runs[0].path}' has no world model that could be played alone.")
    return len(runs) if runs[0].has_model and options.alone != "real" else 0


def _loader(runs: Sequence[_Run], env: GameEnv | ForeignGame, controls: Controls, options: PlayOptions) -> Prepare:
    """What loads the runs' parts and builds the session; it says what it is doing."""
    first, with_models = runs[0], _count_models(runs, options) > 0
    what = "world model" if with_models else "policy"

    def prepare(report: Report) -> Session:
        report("Starting TensorFlow")
        from worldmodels.runtime.quiet import load_tensorflow

        load_tensorflow()
        from worldmodels.runtime.load import load_run

        report(f"Loading the {what}")
        loaded = [load_run(run.path).parts for run in runs]
        report(f"Compiling the {what}")
        streams = Streams(options.seed)
        settings = Settings(options, with_models, first.config.trains_policy)
        real = _reality(first, env, options, human_view=not with_models and options.view == "people")
        watchers = [Watcher(parts.model, streams) for parts in loaded]
        names = ["Model"] if len(runs) == 1 else [run.path.name for run in runs]
        models = [
            ModelWorld(parts.world_model, watcher, streams, settings, name)
            for parts, watcher, name in zip(loaded, watchers, names, strict=True)
            if with_models
        ]
        players: list[Player] = [RandomPlayer(len(env.action_keys), streams), *_scripts(options)]
        if first.config.trains_policy:
            dreamed = models[0] if real.frozen else None
            players.insert(0, PolicyPlayer(loaded[0].agent, watchers[0], streams, settings, dreamed))
        session = Session(env.title, real, controls, settings, models, players, _playing(options))
        session.warm_up()
        return session

    return prepare


def _reality(
    run: _Run, env: GameEnv | ForeignGame, options: PlayOptions, human_view: bool
) -> RealWorld | RecordedWorld:
    if options.alone == "model" and options.start == "recorded":
        from worldmodels.imagination.recorded import RecordedStarts
        from worldmodels.replay import ReplayReader

        reader = ReplayReader(RunDir.open(run.path).replay)
        return RecordedWorld(RecordedStarts(reader, run.config.evaluation.context), Streams(options.seed))
    return RealWorld(env, _env_seed(options), human_view, frozen=options.alone == "model")


def _play(painter: Painter, prepare: Prepare, options: PlayOptions, script: KeyScript, played: Played) -> None:
    zoom = options.zoom or ZOOMS[painter.columns]
    session: Session | None
    if options.headless and options.video:
        session = prepare(lambda status: print(f"{status} ..."))
        ticks = options.ticks or max(script, default=0) + 1
        pictures = play_headless(painter, session, script, zoom, ticks)
        write_video(options.video, pictures, fps=options.rate)
    else:
        session = run_window(painter, prepare, options, script, zoom)
    if session is None:
        return
    print(session.totals.text(painter.columns > 0))
    if options.record:
        write_played(options.record, replace(played, episodes=session.journal.episodes()))
        print(f"Wrote {options.record}.")
    if options.video:
        print(f"Wrote {options.video}.")


def _playing(options: PlayOptions) -> str:
    return "policy" if options.policy else "script" if options.script else ""


def _scripts(options: PlayOptions) -> list[ScriptPlayer]:
    if not options.script:
        return []
    return [ScriptPlayer([episode.actions for episode in read_played(options.script).episodes])]


def _env_seed(options: PlayOptions) -> int:
    """Of a recording that is played again, its own."""
    return read_played(options.script).seed if options.script else Streams(options.seed).integer("player/env")


def _played(config: EnvConfig, options: PlayOptions, run: _Run | None) -> Played:
    """The head of a recording."""
    source, checkpoint = (str(run.path), max(run.steps)) if run else ("", None)
    return Played(config.games[0], game_options(config), _env_seed(options), (), source, checkpoint)


def _script(options: PlayOptions) -> KeyScript:
    return read_script(Path(options.keys)) if options.keys else {}


def _make(config: EnvConfig, options: PlayOptions, render_mode: str | None = None) -> GameEnv | ForeignGame:
    """The run's game; of a mixture, the first one."""
    if is_native(config):
        return make(config.games[0], render_mode, **game_options(config))
    if options.record or options.script:
        raise UserError(f"Recordings are of native games, and the run's environment '{config.game}' is not one.")
    return ForeignGame(config)
