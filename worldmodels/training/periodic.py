"""Takes the measures of a run while it trains, and writes their videos and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from worldmodels.acting.build import Parts
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.envs.games.levels import has_test_levels
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.findings import named_by_levels
from worldmodels.evaluation.measure import Extras, Occasion, take
from worldmodels.evaluation.measures import table
from worldmodels.evaluation.predictions.windows import held_out_windows
from worldmodels.evaluation.probes import write_probes
from worldmodels.replay import Replay
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.video import write_video

ENVIRONMENTS = 32
"""Environments played at once, at most."""
VIDEO_EPISODES = 4
VIDEO_FPS = 8


class PeriodicEvaluation:
    """An evaluation that draws from streams of its own and from environments of its own: training never notices it.

    Args:
        replay: the store whose held-out episodes the world model is measured on, if it has any. Otherwise the policy
            plays for that.
        report: is called with a line about results that need attention.
    """

    def __init__(
        self, parts: Parts, run_dir: RunDir, replay: Replay | None, report: Callable[[str], None] = lambda text: None
    ):
        self._config, self._run_dir, self._replay, self._report = parts.config, run_dir, replay, report
        self._streams = Streams(parts.streams.integer("evaluation"))
        self._evaluator = Evaluator(parts, parts.config.evaluation, self._streams, ENVIRONMENTS)

    def run(self, step: int, logger: Logger) -> dict[str, float]:
        """Measure at `step` environment steps, write videos and error curves, and return values named `eval/...`."""
        occasion = Occasion("training", videos=VIDEO_EPISODES, held_out=self._held_out_windows)
        values: dict[str, float] = {}
        for measure, found in take(table.MEASURES, self._evaluator, occasion):
            values |= measure.metrics(found)
            if measure.picture is not None and "world model" in measure.needs:
                name = measure.picture_name or measure.name
                measure.picture(found, self._run_dir.eval / f"training_{step:08d}_{name}.png")
            extras = measure.extras(found, self._evaluator, occasion)
            self._keep(extras, step)
            self._write_videos(extras.videos, step, logger)
        if self._config.evaluation.test_levels and has_test_levels(self._config.env):
            values |= self._on_test_levels(replace(occasion, levels="test", videos=0, held_out=lambda: None))
        return values

    def _on_test_levels(self, occasion: Occasion) -> dict[str, float]:
        """Return the measures on levels that were never trained on, as values `eval/test_...`."""
        evaluator, values = self._evaluator, dict[str, float]()
        evaluator.use_levels("test")
        try:
            for measure, found in take(table.MEASURES, evaluator, occasion):
                values |= measure.metrics(found)
                self._keep(measure.extras(found, evaluator, occasion))
        finally:
            evaluator.use_levels("train")
        return named_by_levels(values, "test")

    def _keep(self, extras: Extras, step: int | None = None) -> None:
        """Report the message of a measure, and write its probes as those of a step, unless that is None."""
        if extras.message:
            self._report(extras.message)
        if extras.probes is not None and step is not None:
            write_probes(self._run_dir, step, extras.probes)

    def _write_videos(self, videos: Mapping[str, Iterable[np.ndarray]], step: int, logger: Logger) -> None:
        for name, frames in videos.items():
            write_video(self._run_dir.videos / f"{name}_{step:08d}.mp4", frames, fps=VIDEO_FPS)
            if isinstance(frames, np.ndarray):
                logger.video(step, f"eval/{name}", frames)

    def _held_out_windows(self) -> Batch | None:
        """Return windows of the held-out experience, which grows; None if there is none."""
        settings = self._config.evaluation
        if self._replay is None or not self._config.replay.held_out_every:
            return None
        length, seed = settings.context + settings.horizon, self._streams.integer("held out")
        return held_out_windows(self._replay, settings.windows, length, seed)
