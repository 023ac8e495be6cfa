"""Where the command line enters: play a run, or a game alone, in a window or without one."""

from __future__ import annotations

from collections.abc import Mapping
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
from worldmodels.models.frame_stack_config import FrameStackConfig
from worldmodels.player.controls import Controls
from worldmodels.player.draw import Painter
from worldmodels.player.headless import play_headless
from worldmodels.player.help_screen import make_guide
from worldmodels.player.options import PlayOptions
from worldmodels.player.script import KeyScript, read_script
from worldmodels.player.session import Session
from worldmodels.player.window import Prepare, Report, run_window
from worldmodels.player.worlds import ModelWorld, PolicyPlayer, RealWorld, Watcher
from worldmodels.runtime.config import RunConfig
from worldmodels.telemetry.video import write_video

ZOOM_WITH_MODEL, ZOOM_ALONE = 6, 8


def play_run(path: str | Path, options: PlayOptions | None = None) -> None:
    """Play in the world model of a run, beside the real game and their difference.

    A run without a world model is played as the real game alone, by a person or by its policy; so is one that has no
    checkpoint yet, by a person; one that trains no policy, without the policy.

    Raises:
        UserError: no such run, a damaged one, no display, a mistake in the key script.
    """
    options = options or PlayOptions()
    script = _script(options)
    run_dir = RunDir.open(path)
    config = load_config(RunConfig, [run_dir.config])
    if not Checkpoints(run_dir.checkpoints).steps():
        print(f"The run '{path}' has no checkpoint yet, so no world model: the real game is played alone.")
        _play_alone(_make(config.env, "rgb_array"), options, script)
        return
    with_model = not isinstance(config.model, FrameStackConfig)
    env = _make(config.env, None if with_model else "rgb_array")
    controls = Controls(env.action_keys, env.action_meanings)
    guide = make_guide(env.title, env.rules, controls, with_model, with_policy=config.trains_policy)
    height, width = (env.observation_space.shape or (64, 64))[:2] if with_model else (HUMAN_SIZE, HUMAN_SIZE)
    prepare = _loader(path, env, controls, options, with_model, config.trains_policy)
    zoom = ZOOM_WITH_MODEL if with_model else ZOOM_ALONE
    _play(Painter(guide, (width, height), with_model), prepare, options, script, zoom)


def play_game(name: str, options: PlayOptions | None = None, settings: Mapping[str, Any] | None = None) -> None:
    """Play a real game alone, as people see it.

    Args:
        settings: the environment's options, for example {"distribution_mode": "hard"}.

    Raises:
        UserError: no such game or option, no display, a mistake in the key script.
    """
    options = options or PlayOptions()
    _play_alone(make(name, "rgb_array", **(settings or {})), options, _script(options))


def _play_alone(env: GameEnv, options: PlayOptions, script: KeyScript) -> None:
    controls = Controls(env.action_keys, env.action_meanings)
    real = RealWorld(env, Streams(options.seed).integer("player/env"), human_view=options.view == "people")
    session = Session(env.title, real, controls, policy_plays=options.policy)
    guide = make_guide(env.title, env.rules, controls, with_model=False, with_policy=False)
    _play(
        Painter(guide, (HUMAN_SIZE, HUMAN_SIZE), with_model=False), lambda report: session, options, script, ZOOM_ALONE
    )


def _loader(
    path: str | Path, env: GameEnv, controls: Controls, options: PlayOptions, with_model: bool, with_policy: bool
) -> Prepare:
    """What loads the run's parts and builds the session; it says what it is doing."""

    def prepare(report: Report) -> Session:
        report("Starting TensorFlow")
        from worldmodels.runtime.quiet import load_tensorflow

        load_tensorflow()
        from worldmodels.runtime.load import load_run

        what = "world model" if with_model else "policy"
        report(f"Loading the {what}")
        parts = load_run(path).parts
        report(f"Compiling the {what}")
        streams = Streams(options.seed)
        real = RealWorld(env, streams.integer("player/env"), human_view=not with_model and options.view == "people")
        watcher = Watcher(parts.model, streams)
        model = ModelWorld(parts.world_model, watcher, streams, options.temperature) if with_model else None
        policy = PolicyPlayer(parts.agent, watcher, streams, options.policy_temperature) if with_policy else None
        session = Session(env.title, real, controls, model, policy, options.put_back_every, options.policy)
        session.warm_up()
        return session

    return prepare


def _play(painter: Painter, prepare: Prepare, options: PlayOptions, script: KeyScript, default_zoom: int) -> None:
    zoom = options.zoom or default_zoom
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
    print(session.totals.text(painter.with_model))
    if options.video:
        print(f"Wrote {options.video}.")


def _script(options: PlayOptions) -> KeyScript:
    return read_script(Path(options.keys)) if options.keys else {}


def _make(config: EnvConfig, render_mode: str | None = None) -> GameEnv:
    """The run's game; of a mixture, the first one."""
    try:
        return make(config.games[0], render_mode, **game_options(config))
    except UserError as error:
        raise UserError(f"The player opens native games only, and not the environment of this run. {error}") from error
