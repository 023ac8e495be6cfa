"""Experiments with world models: native games, learned worlds, agents that learn inside them, and a player to look."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from worldmodels.envs.registration import register

if TYPE_CHECKING:
    from worldmodels.envs import GameEnv
    from worldmodels.envs.foreign.given import Given
    from worldmodels.imagination.vector_env import ImaginedVectorEnv
    from worldmodels.loading.load import LoadedRun

__version__ = "0.1.0"
__all__ = ["__version__", "dream", "evaluate", "load", "make", "play", "train"]

# On processors without AVX-512 TensorFlow leaves oneDNN off. There too it multiplies large matrices a quarter faster,
# at the price of slower single steps, and repeats bit for bit. It is read when TensorFlow is imported, later than here.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

# Gymnasium looks for no entry points: importing the package is what makes gymnasium.make know the games.
register()


def make(game: str, render_mode: str | None = None, **options: Any) -> GameEnv:
    """Make one native game as a Gymnasium environment; `gymnasium.make("worldmodels/Maze-v0")` does the same.

    Args:
        game: its name, for example "maze"; `worldmodels list games` prints all.
        render_mode: None or "rgb_array", which is 512 x 512 pixels.
        options: Procgen's options, for example distribution_mode="hard", start_level=0, num_levels=200.

    Raises:
        UserError: there is no such game or option; the text names the nearest.
    """
    from worldmodels.envs import make as make_env

    return make_env(game, render_mode, **options)


def train(
    env: str | Given,
    config: str | Sequence[str] = (),
    overrides: Mapping[str, Any] | None = None,
    logdir: str | Path | None = None,
) -> Path:
    """Train a world model of an environment and a policy inside it; calling it again continues the run.

    Args:
        env: a native game (`"maze"` or `"worldmodels/Maze-v0"`), a mixture of them (`"coinrun,maze"`), or the id of any
            Gymnasium environment; or a `gymnasium.Env`, or a function without arguments that makes copies of one, which
            is given again wherever the run is used.
        config: YAML files or preset names, later ones win; by default `dreamer_small`, or a run's own configuration.
        overrides: dotted configuration keys and their values, for example `{"seed": 3, "training.steps": 50_000}`.
        logdir: the run's folder; `runs/<env>` by default, where an environment that is given has its class's or its
            function's name.

    Returns:
        The run's folder.

    Raises:
        UserError: the configuration, its environment or the folder cannot be used; nothing was written then.
    """
    import json

    from worldmodels.envs.foreign.given import given_name
    from worldmodels.training.launch import launch, parse_config

    files = [config] if isinstance(config, str) else list(config)
    name, given = (env, None) if isinstance(env, str) else (given_name(env), env)
    values = {"env.game": name, **(overrides or {})}
    folder = Path(logdir or f"runs/{name.rpartition(':')[2].replace('/', '_')}")
    texts = [f"{key}={json.dumps(value)}" for key, value in values.items()]
    return launch(parse_config(files, texts, folder), folder, given=given)


def load(run: str | Path, step: int | None = None, env: Given | None = None) -> LoadedRun:
    """Load the world model and the agent of a run.

    Args:
        run: its folder.
        step: the checkpoint, by its environment steps; the newest by default.
        env: the environment, where the run was trained with an object or a function.

    Returns:
        The run, with `parts.model` (see `models/api.py`), `parts.agent` (see `agents/api.py`), `config` and `step`.

    Raises:
        UserError: there is no such run, no such checkpoint, or a damaged one.
    """
    from worldmodels.loading.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.loading.load import load_run

    return load_run(run, step, env)


def evaluate(
    run: str | Path,
    mode: str = "real",
    agent: str = "policy",
    levels: Literal["train", "test"] = "train",
    step: int | None = None,
    videos: int = 0,
    seed: int = 0,
    env: Given | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Evaluate a run as `worldmodels eval` does, and return what was found.

    Args:
        run: its folder, which also takes the files that are written.
        mode: "real" (the policy in the game, and the model), "imagined" (the policy inside the model) or "model".
        agent: who plays in the real game: "policy", "planner" or "random".
        levels: those on which the run was trained, or none of them.
        step: the checkpoint, by its environment steps; the newest by default.
        videos: episodes to film under each setting; 0 for none.
        seed: the seed of everything random in the evaluation.
        env: the environment, where the run was trained with an object or a function; a function, which makes copies.
        settings: fields of the section `evaluation` that differ from the run's, for example episodes=256,
            temperatures=(0, 1), horizon=50.

    Returns:
        The content of the JSON file that was written, described in docs/evaluation.md.

    Raises:
        UserError: there is no such run or checkpoint, a setting is out of its range, or a world model is needed and the
            run has none.
    """
    from worldmodels.core.files.json_files import parse_strict
    from worldmodels.core.files.writing import read_regular
    from worldmodels.evaluation.request import Request

    request = Request(run, mode, levels, agent, settings=settings, step=step, videos=videos, seed=seed)
    from worldmodels.loading.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.evaluation.run import evaluate_run
    from worldmodels.loading.load import giving_env

    with giving_env(run, env):
        (path,) = evaluate_run(request)
    found: dict[str, Any] = parse_strict(read_regular(path), f"'{path}'")
    return found


def play(*runs: str | Path, game: str | None = None, env: Given | None = None, **options: Any) -> None:
    """Open the player: a run's model beside the real game, two runs side by side, or a game alone.

    Args:
        runs: one or two folders; none where a `game` is played alone.
        game: the name of a native game, or the id of a Gymnasium environment.
        env: the environment, where the run was trained with an object or a function.
        options: fields of `player.session.options.PlayOptions`, for example policy=True, headless=True,
            video="play.mp4", steps as `ticks`; further ones are options of the `game`.

    Raises:
        UserError: there is nothing to play, no such run or game, or no display for a window.
    """
    from dataclasses import fields

    from worldmodels.core.errors import UserError
    from worldmodels.player.app import play_game, play_runs
    from worldmodels.player.session.options import PlayOptions

    if bool(runs) == bool(game):
        raise UserError("Say what to play: the folder of a run (or two), or game=NAME.")
    names = {field.name for field in fields(PlayOptions)}
    chosen = PlayOptions(**{name: value for name, value in options.items() if name in names})
    others = {name: value for name, value in options.items() if name not in names}
    if game is not None:
        play_game(game, chosen, others)
        return
    if others:
        raise UserError(f"Options of a game go with game=NAME alone. Received {', '.join(others)}.")
    from worldmodels.loading.load import giving_env

    with giving_env(runs[0], env):
        play_runs(runs, chosen)


def dream(
    run: str | Path, num_envs: int = 16, horizon: int = 50, env: Given | None = None, **options: Any
) -> ImaginedVectorEnv:
    """Return the world model of a run as a Gymnasium vector environment, in which any agent can act and learn.

    Args:
        run: its folder. Episodes start where recorded ones continue.
        num_envs: episodes side by side.
        horizon: steps after which an episode is truncated.
        env: the environment, where the run was trained with an object or a function.
        options: temperature, observe ("frames", "vectors" or "features"), autoreset_mode and render_mode, as in
            `ImaginedVectorEnv`;
            and step (of the checkpoint) and context (recorded frames that the model takes in before each episode).

    Raises:
        UserError: there is no such run, it has no world model, or too little recorded experience.
    """
    from worldmodels.loading.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.loading.load import dream as dream_run
    from worldmodels.loading.load import giving_env

    with giving_env(run, env):
        return dream_run(run, num_envs=num_envs, horizon=horizon, **options)
