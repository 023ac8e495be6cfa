"""The evaluation that hangs on a training loop: how the policy plays, how far the world model sees, and a video."""

from __future__ import annotations

from worldmodels.core.run_dir import RunDir
from worldmodels.core.seeding import Streams
from worldmodels.evaluation.policy import evaluate_policy
from worldmodels.evaluation.recording import record_windows
from worldmodels.evaluation.video import prediction_video
from worldmodels.evaluation.world_model import evaluate_world_model
from worldmodels.models.api import is_world_model
from worldmodels.replay import Replay
from worldmodels.runtime.actor import ModelActor
from worldmodels.runtime.build import Parts
from worldmodels.runtime.environment import build_env
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.video import write_video

ENVIRONMENTS = 32
"""Environments played at once, at most."""
VIDEO_WINDOWS = 4
VIDEO_FPS = 8


class PeriodicEvaluation:
    """Draws from streams of its own and from environments of its own: training never notices it.

    Every time the same levels and seeds, so that differences in time are differences of what was learned.
    """

    def __init__(self, parts: Parts, run_dir: RunDir, replay: Replay | None):
        self._parts, self._run_dir, self._settings = parts, run_dir, parts.config.evaluation
        self._replay = replay
        self._streams = Streams(parts.streams.integer("evaluation"))
        self._env = build_env(parts.config, min(self._settings.episodes, ENVIRONMENTS))
        self._actor = ModelActor(parts.model, parts.agent, self._env.num_envs, self._streams.key("actor"))

    def run(self, step: int, logger: Logger) -> dict[str, float]:
        """Measure at `step` environment steps, and write the video; gives values named `eval/...`."""
        return self._policy() | (self._world_model(step, logger) if is_world_model(self._parts.model) else {})

    def _policy(self) -> dict[str, float]:
        settings = self._settings
        temperature = settings.temperatures[-1]
        self._actor.reset(self._streams.key("policy"), temperature)
        seed = self._streams.integer("levels")
        episodes = evaluate_policy(self._env, self._actor, settings.episodes, settings.max_steps, seed)
        result = episodes.estimate()
        games = self._parts.config.env.games
        parts = episodes.by_game(games) if len(games) > 1 else {}
        return {
            **{f"eval/return_{name}": part.estimate().mean for name, part in parts.items()},
            "eval/return": result.mean,
            "eval/return_standard_error": result.standard_error,
            "eval/length": float(episodes.lengths.mean()),
            "eval/unfinished": float(episodes.unfinished),
        }

    def _world_model(self, step: int, logger: Logger) -> dict[str, float]:
        settings, streams, model = self._settings, self._streams, self._parts.world_model
        self._actor.reset(streams.key("recording"))
        length = settings.context + settings.horizon
        recording = record_windows(self._env, self._actor, settings.windows, length, streams.integer("recording"))
        errors = evaluate_world_model(model, recording, settings.context, streams.key("prediction"))
        frames = prediction_video(model, recording, settings.context, streams.key("prediction"), rows=VIDEO_WINDOWS)
        write_video(self._run_dir.videos / f"prediction_{step:08d}.mp4", frames, fps=VIDEO_FPS)
        logger.video(step, "eval/prediction", frames)
        return {
            "eval/image_error": float(errors.image_error.mean[-1]),
            "eval/copy_image_error": float(errors.copy_image_error.mean[-1]),
            "eval/reward_accuracy": float(errors.reward_accuracy.mean[-1]),
            "eval/continuation_accuracy": float(errors.continuation_accuracy.mean[-1]),
        }
