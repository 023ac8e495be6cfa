"""The evaluation that hangs on a training loop: how the policy plays, how far the world model predicts, and videos."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worldmodels.acting.build import Parts
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.envs.games.levels import has_test_levels
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.findings import named_by_levels
from worldmodels.evaluation.measures.action_effects import action_metrics
from worldmodels.evaluation.measures.grid import grid_metrics
from worldmodels.evaluation.measures.knowledge import knowledge_metrics
from worldmodels.evaluation.measures.model_errors import error_metrics
from worldmodels.evaluation.measures.optimism import fooled_warning, optimism_metrics
from worldmodels.evaluation.predictions.windows import held_out_windows
from worldmodels.evaluation.probes import write_probes
from worldmodels.evaluation.report.comparison_video import prediction_video, video_rows
from worldmodels.evaluation.report.pictures import draw_errors
from worldmodels.replay import Replay
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.video import write_video

ENVIRONMENTS = 32
"""Environments played at once, at most."""
VIDEO_WINDOWS = 6
VIDEO_EPISODES = 4
VIDEO_FPS = 8


class PeriodicEvaluation:
    """An evaluation that draws from streams of its own and from environments of its own: training never notices it.

    Args:
        replay: whose held-out episodes the world model is measured on, if it has any. Otherwise the policy plays for
            that, and with no world model there is nothing to measure.
        report: is given a line about what should be known.
    """

    def __init__(
        self, parts: Parts, run_dir: RunDir, replay: Replay | None, report: Callable[[str], None] = lambda text: None
    ):
        self._config, self._run_dir, self._replay, self._report = parts.config, run_dir, replay, report
        self._streams = Streams(parts.streams.integer("evaluation"))
        self._evaluator = Evaluator(parts, parts.config.evaluation, self._streams, ENVIRONMENTS)

    def run(self, step: int, logger: Logger) -> dict[str, float]:
        """Measure at `step` environment steps, write videos and error curves, and return values named `eval/...`."""
        values = self._policy(step) if self._config.trains_policy else {}
        values |= self._world_model(step, logger) if self._evaluator.spec.imagines else {}
        if self._config.evaluation.test_levels and has_test_levels(self._config.env):
            values |= self._on_test_levels()
        return values

    def _on_test_levels(self) -> dict[str, float]:
        """Return how policy and model do on levels that were never trained on, as values `eval/test_...`."""
        evaluator, values = self._evaluator, dict[str, float]()
        evaluator.use_levels("test")
        try:
            if self._config.trains_policy:
                values |= grid_metrics([one.cell for one in evaluator.grid()], self._config.env.games)
            if evaluator.spec.imagines:
                windows = self._played_windows()
                values |= error_metrics(evaluator.errors(windows)) | self._optimism(windows, "test")
                del windows  # large, and more are to come
                values |= self._what_it_knows(None)
        finally:
            evaluator.use_levels("train")
        return named_by_levels(values, "test")

    def _policy(self, step: int) -> dict[str, float]:
        filmed = self._evaluator.grid(filmed=VIDEO_EPISODES)
        if (film := filmed[0].film) is not None:
            self._write_video(step, "policy", film.frames())
        return grid_metrics([one.cell for one in filmed], self._config.env.games)

    def _world_model(self, step: int, logger: Logger) -> dict[str, float]:
        settings, held_out = self._config.evaluation, self._held_out_windows()
        windows = held_out or self._played_windows()
        filmed = video_rows(windows, settings.context, VIDEO_WINDOWS)
        errors, predicted, reconstruction = self._evaluator.filmed_errors(windows, filmed)
        frames = None
        if predicted is not None:
            truth = self._evaluator.spec.image_of(windows.observation)[filmed]
            frames = prediction_video(predicted, truth, settings.context, reconstruction)
        # What was held out was played by other policies.
        optimism = self._optimism(self._played_windows() if held_out else windows)
        del held_out, windows  # large, and more are to come
        draw_errors(errors, self._run_dir.eval / f"training_{step:08d}_world_model.png")
        if frames is not None:
            self._write_video(step, "prediction", frames)
            logger.video(step, "eval/prediction", frames)
        return error_metrics(errors) | optimism | self._what_it_knows(step)

    def _optimism(self, windows: Batch, levels: str = "") -> dict[str, float]:
        """Return what the policy earns in the model beside reality, in windows that it has played itself."""
        optimism = self._evaluator.optimism(windows) if self._config.trains_policy else None
        if optimism is None:
            return {}
        if warning := fooled_warning(optimism, levels):
            self._report(warning)
        return optimism_metrics(optimism)

    def _what_it_knows(self, step: int | None) -> dict[str, float]:
        """Return what the model knows, and keep the probes that read it as those of a step, unless that is None."""
        knowledge, effects = self._evaluator.knowledge(), self._evaluator.action_effects()
        if knowledge and step is not None:
            write_probes(self._run_dir, step, knowledge.probes)
        known = knowledge_metrics(knowledge) if knowledge else {}
        return known | (action_metrics(effects) if effects else {})

    def _held_out_windows(self) -> Batch | None:
        """Return windows of the held-out experience, which grows; None where there is none."""
        settings = self._config.evaluation
        if self._replay is None or not self._config.replay.held_out_every:
            return None
        length, seed = settings.context + settings.horizon, self._streams.integer("held out")
        return held_out_windows(self._replay, settings.windows, length, seed)

    def _played_windows(self) -> Batch:
        """Return windows of the policy's own play: on the same levels each time."""
        settings = self._config.evaluation
        return self._evaluator.windows("recording", settings.windows, settings.horizon)

    def _write_video(self, step: int, name: str, frames: Any) -> None:
        write_video(self._run_dir.videos / f"{name}_{step:08d}.mp4", frames, fps=VIDEO_FPS)
