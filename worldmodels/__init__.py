"""A package for world models: native games, learned worlds, agents that learn inside them, and a player."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from worldmodels.envs.making import register

if TYPE_CHECKING:
    from worldmodels.envs import GameEnv
    from worldmodels.envs.foreign.given import Given
    from worldmodels.envs.games.levels import Levels
    from worldmodels.imagination.vector_env import ImaginedVectorEnv
    from worldmodels.loading.load import LoadedRun
    from worldmodels.training.callbacks import Callback
    from worldmodels.training.launch import Config

__version__ = "0.1.0"
__all__ = ["__version__", "dream", "evaluate", "load", "make", "play", "train"]

# TensorFlow reads this when it is imported. Without AVX-512 it leaves oneDNN off, which multiplies large matrices a
# quarter faster there, makes single steps slower, and repeats bit for bit.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

register()  # the games for gymnasium.make, which reads no entry points


def make(game: str, render_mode: str | None = None, **options: Any) -> GameEnv:
    """Make one native game as a Gymnasium environment; `gymnasium.make("worldmodels/Maze-v0")` does the same.

    Args:
        game: the game's name, for example "maze"; `worldmodels list games` prints all.
        render_mode: None or "rgb_array", which is 512 x 512 pixels.
        options: Procgen's options, for example distribution_mode="hard", start_level=0, num_levels=200.

    Raises:
        UserError: there is no such game or option; the text names the nearest.
    """
    from worldmodels.envs import make as make_env

    return make_env(game, render_mode, **options)


def train(
    env: str | Given,
    config: Config | Sequence[Config] = (),
    overrides: Mapping[str, Any] | None = None,
    logdir: str | Path | None = None,
    callbacks: Sequence[Callback] = (),
) -> Path:
    """Train a world model of an environment and a policy inside it; calling it again continues the run.

    Args:
        env: a native game (`"maze"` or `"worldmodels/Maze-v0"`), a mixture of them (`"coinrun,maze"`), or the id of any
            Gymnasium environment. Or a `gymnasium.Env`, or a function without arguments that makes copies of one; give
            the same object to every later use of the run.
        config: presets, YAML files, mappings or dataclasses; by default `dreamer_small`, or a run's own configuration.
        overrides: dotted configuration keys and their values, for example `{"seed": 3, "training.steps": 50_000}`.
        logdir: the run's folder; `runs/<env>` by default, with the name of the class or function if `env` is one.
        callbacks: functions that take an `Event` (`training/callbacks.py`); one that returns True ends the run.

    Returns:
        The run's folder.

    Raises:
        UserError: the configuration, its environment or the folder cannot be used; then nothing was written.
    """
    from worldmodels.envs.foreign.given import given_name
    from worldmodels.training.launch import launch, parse_given

    name, given = (env, None) if isinstance(env, str) else (given_name(env), env)
    folder = Path(logdir or f"runs/{name.rpartition(':')[2].replace('/', '_')}")
    values = {"env.game": name, **(overrides or {})}
    return launch(parse_given(config, values, folder), folder, given=given, callbacks=callbacks)


def load(run: str | Path, step: int | None = None, env: Given | None = None) -> LoadedRun:
    """Load the world model and the agent of a run.

    Args:
        run: the run's folder, a pack (`FILE.world`) or `gallery:NAME`.
        step: environment steps of the checkpoint; None takes the newest.
        env: the environment, if the run was trained with an object or a function.

    Returns:
        The run, with `parts.model` (see `models/api.py`), `parts.agent` (see `agents/api.py`), `config` and `step`.

    Raises:
        UserError: there is no such run, no such checkpoint, or a damaged one.
    """
    from worldmodels.loading.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.loading.load import load_run

    return load_run(run, step, env)


def evaluate(  # noqa: PLR0913  an argument for each key of the section
    run: str | Path,
    mode: Literal["real", "imagined", "model"] = "real",
    agent: Literal["policy", "planner", "random"] = "policy",
    levels: Levels | Literal["both"] = "train",
    step: int | None = None,
    videos: int = 0,
    seed: int = 0,
    env: Given | None = None,
    *,
    episodes: int | None = None,
    temperatures: Sequence[float] | None = None,
    model_temperatures: Sequence[float] | None = None,
    noops: Sequence[int] | None = None,
    max_steps: int | None = None,
    context: int | None = None,
    horizon: int | None = None,
    windows: int | None = None,
) -> dict[str, Any]:
    """Evaluate a run as `worldmodels eval` does, and return the results.

    The arguments after `env` replace the keys of the same names in the run's section `evaluation`; None keeps a key.

    Args:
        run: the run's folder, which also takes the files that are written; a pack (`FILE.world`) or `gallery:NAME`.
        mode: "real" (the policy in the game, and the model), "imagined" (the policy inside the model) or "model".
        agent: the player in the real game: the run's policy, a planner that uses the model, or random actions.
        levels: "train" plays the levels on which the run was trained, "test" all others, "unseen" the others
            whose layout is none of theirs; "both" plays the first two.
        step: environment steps of the checkpoint; None takes the newest.
        videos: episodes to film under each setting; 0 for none.
        seed: the seed of everything random in the evaluation.
        env: the environment, if the run was trained with a function; a function, which makes copies.
        episodes: episodes for each pair of a temperature and a number of no-ops.
        temperatures: sampling temperatures of the policy; 0 takes the most probable action.
        model_temperatures: sampling temperatures of the world model; 0 takes the most probable prediction.
        noops: numbers of steps without an action at the start of an episode.
        max_steps: steps after which an episode is cut and reported as unfinished.
        context: frames that the world model sees before it predicts alone.
        horizon: steps that the world model then predicts alone.
        windows: recorded sequences over which the model's errors are averaged.

    Returns:
        The content of the JSON file that was written (docs/reference/evaluation_json.md); with "both" one by each name.

    Raises:
        UserError: no such run or checkpoint, a setting out of its range, or a run without the needed world model.
    """
    given = locals()
    from worldmodels.config.run_config import EvaluationConfig
    from worldmodels.core.files.json_files import parse_strict
    from worldmodels.core.files.writing import read_regular
    from worldmodels.envs.games.levels import MEASURED
    from worldmodels.evaluation.request import Request

    names = [field.name for field in fields(EvaluationConfig)]
    settings = {name: given[name] for name in names if given.get(name) is not None}
    chosen: Sequence[Levels] = MEASURED if levels == "both" else (levels,)
    request = Request(run, mode, chosen[0], agent, settings=settings, step=step, videos=videos, seed=index(seed))
    from worldmodels.loading.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.evaluation.run import evaluate_run
    from worldmodels.loading.load import giving_env

    with giving_env(run, env):
        paths = evaluate_run(request, chosen)
    trees = [dict(parse_strict(read_regular(path), f"'{path}'")) for path in paths]
    return dict(zip(chosen, trees, strict=True)) if levels == "both" else trees[0]


def play(  # noqa: PLR0913  an argument for each option of the player
    *runs: str | Path,
    game: str | None = None,
    env: Given | None = None,
    alone: Literal["", "model", "real"] = "",
    start: Literal["recorded", "game"] = "recorded",
    levels: Levels = "train",
    view: Literal["people", "agent"] = "people",
    policy: bool = False,
    policy_temperature: float = 1.0,
    temperature: float = 1.0,
    put_back_every: int = 0,
    rate: int = 15,
    seed: int = 0,
    steps: int | None = None,
    zoom: int | None = None,
    keys: str | Path | None = None,
    key_script: str | Path | None = None,
    record: str | Path | None = None,
    script: str | Path | None = None,
    pictures: str | Path = "pictures",
    video: str | Path | None = None,
    width: int | None = None,
    headless: bool = False,
    web: bool = False,
    host: str = "127.0.0.1",
    port: int = 8765,
    **game_options: Any,
) -> None:
    """Open the player: a run's model beside the real game, two runs side by side, or a game alone.

    Args:
        runs: one or two folders, packs (`FILE.world`) or `gallery:NAME`; none if a `game` is played alone.
        game: the name of a native game, or the id of a Gymnasium environment.
        env: the environment, if the run was trained with an object or a function.
        alone: "real" plays a run's game without the model, "model" the model without the game; "" plays both.
        start: a model alone starts in the run's experience ("recorded") or at an episode's first frame ("game").
        levels: "train" plays the levels on which a run was trained, "test" all others, "unseen" the others whose layout
            is none of theirs.
        view: a game alone is seen as by people (512 pixels) or as by the agent (64 pixels); key V changes it.
        policy: the policy plays until a key takes over.
        policy_temperature: sampling temperature of the policy; 0 takes the most probable action.
        temperature: sampling temperature of the model; 0 takes the most probable prediction.
        put_back_every: steps after which the model is put back on the real state; 0 leaves that to key X.
        rate: steps of the worlds each second.
        seed: the seed of the levels and of the samples of model and policy.
        steps: steps after which play ends; None for no end, or without a window the script's last event.
        zoom: screen pixels for each pixel of a 64x64 frame; None chooses by the number of pictures.
        keys: a YAML file that gives keys other meanings.
        key_script: a script of key events, which are added to those of the person.
        record: the recording of actions to write, which `script` and `worldmodels replay` read.
        script: a recording whose actions are played until a key takes over.
        pictures: the folder in which key F2 saves pictures.
        video: the video to write, .mp4 or .gif, with a frame for each tick.
        width: pixels across of the video at most; None for the screen's, or 800 in a .gif.
        headless: play without a window; needs `video`, and `key_script` or `steps`.
        web: serve the player to browsers.
        host: the address at which browsers find it; by default only on this machine.
        port: the port; 0 takes a free one.
        game_options: options of the `game`, for example distribution_mode="hard".

    Raises:
        UserError: there is nothing to play, no such run or game, or no display for a window.
    """
    given = locals()
    from worldmodels.core.errors import UserError
    from worldmodels.player.app import play_game, play_runs
    from worldmodels.player.session.options import PlayOptions

    if bool(runs) == bool(game):
        raise UserError("Say what to play: the folder of a run (or two), or game=NAME.")
    chosen = PlayOptions(**{field.name: given[field.name] for field in fields(PlayOptions)})
    if game is not None:
        play_game(game, chosen, game_options)
        return
    if game_options:
        raise UserError(f"Options of a game go with game=NAME alone. Received {', '.join(game_options)}.")
    from worldmodels.loading.load import giving_env

    with giving_env(runs[0], env):
        play_runs(runs, chosen)


def dream(  # noqa: PLR0913  an argument for each option of the environment
    run: str | Path,
    num_envs: int = 16,
    horizon: int = 50,
    env: Given | None = None,
    *,
    step: int | None = None,
    context: int | None = None,
    temperature: float = 1.0,
    observe: Literal["frames", "vectors", "features"] = "frames",
    autoreset_mode: str | Enum = "NextStep",
    render_mode: Literal["rgb_array"] | None = None,
) -> ImaginedVectorEnv:
    """Return the world model of a run as a Gymnasium vector environment, in which any agent can act and learn.

    Args:
        run: the run's folder, a pack (`FILE.world`) or `gallery:NAME`. Episodes start where recorded ones continue.
        num_envs: episodes side by side.
        horizon: steps after which an episode is truncated.
        env: the environment, if the run was trained with an object or a function.
        step: environment steps of the checkpoint; None takes the newest.
        context: recorded frames that the model sees before each episode; None takes the key `evaluation.context`.
        temperature: sampling temperature of the model; 0 takes the most probable prediction.
        observe: the model's frames, its vectors (numbers of the environment), or the features of its state.
        autoreset_mode: Gymnasium's mode of reset: "NextStep", "SameStep" or "Disabled".
        render_mode: "rgb_array" for `render()`, or None.

    Raises:
        UserError: there is no such run, it has no world model, or too little recorded experience.
    """
    given = locals()
    names = ("num_envs", "horizon", "temperature", "observe", "autoreset_mode", "render_mode")
    from worldmodels.loading.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.loading import load as loading

    with loading.giving_env(run, env):
        return loading.dream(run, step, context, **{name: given[name] for name in names})
