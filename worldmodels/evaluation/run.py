"""`worldmodels eval`: measures a run's policy and world model, prints the result and keeps it in the run folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from worldmodels.core.config import from_dict, to_dict
from worldmodels.core.errors import ConfigError
from worldmodels.core.files import write_atomic
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.evaluation.grid import Cell, evaluate_grid
from worldmodels.evaluation.noops import noop_action
from worldmodels.evaluation.recording import record_windows
from worldmodels.evaluation.report import draw_errors, draw_grid, errors_tree, grid_tree, print_errors, print_grid
from worldmodels.evaluation.video import prediction_video
from worldmodels.evaluation.world_model import WorldModelErrors, evaluate_world_model
from worldmodels.runtime.actor import ModelActor
from worldmodels.runtime.config import EvaluationConfig
from worldmodels.runtime.environment import build_env
from worldmodels.runtime.load import LoadedRun, load_run
from worldmodels.telemetry.video import write_video

ENVIRONMENTS = 64
"""Episodes played at once: a larger batch makes a policy step cheaper for each, until the slowest one rules."""
VIDEO_STEPS = 45
"""Steps that the model predicts in the video."""


def evaluate_run(path: str | Path, chosen: Mapping[str, Any], step: int | None = None, seed: int = 0) -> Path:
    """Evaluates a run and writes `eval/step_<step>.json`, pictures beside it, and a video; gives the JSON's path.

    The same checkpoint, settings and seed give the same file, except for the time in it.

    Args:
        path: the run's folder.
        chosen: fields of `EvaluationConfig` that differ from the run's configuration.
        step: of the checkpoint; the newest by default.
        seed: of everything random in the evaluation. Training draws from other streams, whatever its seed.

    Raises:
        RunError, CheckpointError: the run cannot be loaded.
        ConfigError: a setting is out of range.
    """
    run = load_run(path, step)
    settings = from_dict(EvaluationConfig, {**to_dict(run.config.evaluation), **chosen}, "the evaluation's settings")
    _check(settings)
    streams = Streams(Streams(seed).integer("evaluation"))
    print(f"Evaluating {run.run_dir.path} as of step {run.step:,}", flush=True)
    cells, errors, video = _measure(run, settings, streams)

    env = run.config.env
    print_grid(cells, env)
    print_errors(errors, settings.context)
    stem = run.run_dir.eval / f"step_{run.step:08d}"
    tree = {
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "step": run.step,
        "seed": seed,
        "game": env.game,
        "distribution_mode": env.distribution_mode,
        "settings": to_dict(settings),
        "returns": grid_tree(cells, env),
        "world_model": errors_tree(errors),
    }
    stem.parent.mkdir(parents=True, exist_ok=True)
    result = stem.with_suffix(".json")
    write_atomic(result, json.dumps(tree, indent=2, allow_nan=False) + "\n")
    pictures = [
        draw_grid(cells, env, stem.with_name(f"{stem.name}_returns.png")),
        draw_errors(errors, stem.with_name(f"{stem.name}_world_model.png")),
    ]
    film = run.run_dir.videos / f"evaluation_{run.step:08d}.mp4"
    write_video(film, video, fps=8)
    print("\n".join(["Written:", *(f"  {file}" for file in (result, *pictures, film))]))
    return result


def _check(settings: EvaluationConfig) -> None:
    for name in ("episodes", "max_steps", "context", "horizon", "windows"):
        if (value := getattr(settings, name)) < 1:
            raise ConfigError(f"evaluation.{name} is {value}; it must be at least 1.")
    for name in ("temperatures", "noops"):
        values = getattr(settings, name)
        if not values:
            raise ConfigError(f"evaluation.{name} is empty; it must hold at least one number.")
        if min(values) < 0:
            raise ConfigError(f"evaluation.{name} holds {min(values)}; they must be 0 or more.")


def _measure(run: LoadedRun, settings: EvaluationConfig, streams: Streams) -> tuple[list[Cell], WorldModelErrors, Any]:
    parts = run.parts
    num_envs = -(-settings.episodes // -(-settings.episodes // ENVIRONMENTS))  # the rounds are equally large
    env = build_env(run.config, num_envs)
    actor = ModelActor(parts.model, parts.agent, env.num_envs, streams.key("actor"))
    cells = evaluate_grid(env, actor, settings, streams, noop_action(env), lambda text: print(text, flush=True))

    print(f"Recording {settings.windows} windows for the world model", flush=True)

    def record(name: str, windows: int, steps: int, spread: int) -> Batch:
        actor.reset(streams.key(name))
        return record_windows(env, actor, windows, settings.context + steps, streams.integer(name), spread)

    recording = record("recording", settings.windows, settings.horizon, spread=16)
    errors = evaluate_world_model(parts.world_model, recording, settings.context, streams.key("prediction"))
    film = record("film", 6, VIDEO_STEPS, spread=4)
    video = prediction_video(parts.world_model, film, settings.context, streams.key("film prediction"))
    env.close()
    return cells, errors, video
