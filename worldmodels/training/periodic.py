"""The evaluation that hangs on a training loop: how the policy plays, how far the world model sees, and videos."""

from __future__ import annotations

from typing import Any

from worldmodels.core.run_dir import RunDir
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.grid import grid_metrics
from worldmodels.evaluation.pictures import draw_errors
from worldmodels.evaluation.prediction import OpenLoopPrediction
from worldmodels.evaluation.recording import held_out_windows
from worldmodels.evaluation.video import prediction_video, shown_rows
from worldmodels.evaluation.world_model import compare, error_metrics
from worldmodels.replay import Replay
from worldmodels.runtime.build import Parts
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.video import write_video

ENVIRONMENTS = 32
"""Environments played at once, at most."""
VIDEO_WINDOWS = 4
VIDEO_EPISODES = 4
VIDEO_FPS = 8


class PeriodicEvaluation:
    """Draws from streams of its own and from environments of its own: training never notices it.

    Args:
        replay: whose held-out episodes the world model is measured on, if it has any. Otherwise the policy plays for
            that, and with no world model there is nothing to measure.
    """

    def __init__(self, parts: Parts, run_dir: RunDir, replay: Replay | None):
        self._config, self._run_dir, self._replay = parts.config, run_dir, replay
        self._streams = Streams(parts.streams.integer("evaluation"))
        self._evaluator = Evaluator(parts, parts.config.evaluation, self._streams, ENVIRONMENTS)

    def run(self, step: int, logger: Logger) -> dict[str, float]:
        """Measure at `step` environment steps, and write videos and error curves; gives values named `eval/...`."""
        values = self._policy(step) if self._config.trains_policy else {}
        return values | (self._world_model(step, logger) if self._evaluator.knows_model else {})

    def _policy(self, step: int) -> dict[str, float]:
        played = self._evaluator.grid(filmed=VIDEO_EPISODES)
        self._film(step, "policy", played[0].film.frames())
        return grid_metrics([one.cell for one in played], self._config.env.games)

    def _world_model(self, step: int, logger: Logger) -> dict[str, float]:
        settings = self._config.evaluation
        recording = self._recording()
        made = {heat: self._evaluator.predict(recording, heat) for heat in settings.model_temperatures}
        errors = {heat: compare(prediction, recording, settings.context) for heat, prediction in made.items()}
        draw_errors(errors, self._run_dir.eval / f"training_{step:08d}_world_model.png")
        rows = shown_rows(recording, settings.context, VIDEO_WINDOWS)
        shown = OpenLoopPrediction._make(values[rows] for values in made[settings.model_temperatures[0]])
        frames = prediction_video(shown, Batch._make(values[rows] for values in recording), settings.context)
        self._film(step, "prediction", frames)
        logger.video(step, "eval/prediction", frames)
        metrics: dict[str, float] = {}
        for temperature, found in errors.items():
            metrics |= error_metrics(found, f"_model{temperature:g}" if len(errors) > 1 else "")
        return metrics

    def _recording(self) -> Batch:
        """The same windows each time where the policy plays; drawn anew where the held-out experience grows."""
        settings = self._config.evaluation
        held_out = None
        if self._replay is not None and self._config.replay.held_out_every:
            length, seed = settings.context + settings.horizon, self._streams.integer("held out")
            held_out = held_out_windows(self._replay, settings.windows, length, seed)
        return held_out or self._evaluator.record("recording", settings.windows, settings.horizon)

    def _film(self, step: int, name: str, frames: Any) -> None:
        write_video(self._run_dir.videos / f"{name}_{step:08d}.mp4", frames, fps=VIDEO_FPS)
