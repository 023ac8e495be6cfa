"""Measures the policy inside the world model beside the same policy in the real world, from the same starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worldmodels.analysis.plots.evaluation_plots import HorizonCurve, plot_horizon
from worldmodels.core.errors import ConfigError
from worldmodels.core.types import Batch
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import NOTHING, Extras, Measure, Occasion
from worldmodels.evaluation.predictions.imagined_play import ImaginedPlay, compare_play, usable_starts
from worldmodels.evaluation.predictions.model_errors import Curve
from worldmodels.evaluation.report.comparison_video import imagined_video
from worldmodels.evaluation.report.numbers import figures_tree, horizon_curve, number
from worldmodels.imagination.model_view import Prediction
from worldmodels.telemetry.run_table import print_table

VIDEO_WINDOWS = 6


class ImaginedResult(NamedTuple):
    """The play of a policy inside the model, under one pair of temperatures."""

    temperature: float
    """The temperature of the policy's sampling."""
    model_temperature: float
    """The temperature of the model's sampling."""
    play: ImaginedPlay
    windows: Batch
    """The windows of W starts, and what really followed."""
    predicted: Prediction
    """The frames, rewards and continuations in the model: NumPy arrays, leading (W, H)."""

    @property
    def name(self) -> str:
        """The temperatures as they stand in the names of metrics and files."""
        return f"t{self.temperature:g}_model{self.model_temperature:g}"


def play_imagined(evaluator: Evaluator, occasion: Occasion) -> list[ImaginedResult]:
    """Play the policy inside the model, for each of its temperatures and each of the model's.

    Raises:
        ConfigError: no start can be used.
    """
    settings, results = evaluator.settings, []
    for temperature in settings.temperatures:
        windows = _starts(evaluator, temperature)
        for model_temperature in settings.model_temperatures:
            key = evaluator.streams.key(f"imagined {temperature} {model_temperature}")
            predicted = evaluator.imagined_player.play(windows, key, temperature, model_temperature)
            play = compare_play(predicted, windows, settings.context)
            results.append(ImaginedResult(temperature, model_temperature, play, windows, predicted))
    return results


def _starts(evaluator: Evaluator, temperature: float) -> Batch:
    """Return windows with usable starts, played by the policy itself."""
    settings = evaluator.settings
    evaluator.report(f"Playing {settings.windows} starts at temperature {temperature:g}, really and in the model")
    windows = evaluator.windows(f"imagined {temperature}", settings.windows, settings.horizon, 16, temperature)
    usable = usable_starts(windows, settings.context)
    if not usable.any():
        raise ConfigError(
            f"None of {settings.windows} recorded starts was followed by {settings.horizon} steps without a "
            "time limit: choose a smaller evaluation.horizon, or more evaluation.windows."
        )
    return windows.map(lambda values: values[usable])


def _metrics(results: Sequence[ImaginedResult]) -> dict[str, float]:
    metrics: dict[str, float] = {}
    for result in results:
        metrics |= imagined_metrics(result.play, f"_{result.name}" if len(results) > 1 else "")
    return metrics


def imagined_metrics(play: ImaginedPlay, suffix: str) -> dict[str, float]:
    """Return the figures of the whole horizon as metrics, `eval/imagined_return_at_15_t1_model1` for example."""
    horizon, figures = len(play.imagined_return.n), {"imagined_correlation": play.correlation}
    sides = {"imagined": (play.imagined_return, play.imagined_alive), "real": (play.real_return, play.real_alive)}
    for side, (returns, alive) in sides.items():
        figures[f"{side}_return"] = returns.mean[-1]
        figures[f"{side}_reward"] = reward_per_step(returns, alive)
        figures[f"{side}_ended"] = 1 - alive.mean[-1]
    return {f"eval/{name}_at_{horizon}{suffix}": float(x) for name, x in figures.items() if math.isfinite(x)}


def reward_per_step(returns: Curve, alive: Curve) -> float:
    """Return the mean reward of a step that was reached; every start reaches the first one."""
    return float(returns.mean[-1] / (1 + alive.mean[:-1].sum()))


def print_imagined(results: Sequence[ImaginedResult], levels: str) -> None:
    """Print the figures of the policy in the model beside those of the same policy in the real world."""
    rows = []
    for result in results:
        play = result.play
        name = f"temp. {result.temperature:g}, model {result.model_temperature:g}"
        rows.append([name, "in the model", *_play_figures(play.imagined_return, play.imagined_alive)])
        rows.append(["", "really", *_play_figures(play.real_return, play.real_alive)])
        gap = play.difference
        rows.append(["", "difference", f"{gap.mean:+.2f} ({number(gap.low)} to {number(gap.high)})", "", ""])
        rows.append(["", "correlation", number(play.correlation), "", ""])
    horizon, starts = len(results[0].play.real_return.n), len(results[0].windows.action)
    columns = ["policy", "", "return", "per step", "ended"]
    print_table(f"The policy for {horizon} steps from {starts} starts, {levels}", columns, rows)


def _play_figures(returns: Curve, alive: Curve) -> list[str]:
    return [number(returns.mean[-1]), number(reward_per_step(returns, alive), 4), number(1 - alive.mean[-1], 3)]


def imagined_tree(results: Sequence[ImaginedResult]) -> list[dict[str, Any]]:
    """Return the figures of the policy in the model; entry h of each list is for the horizon h + 1."""
    return [
        {
            "temperature": result.temperature,
            "model_temperature": result.model_temperature,
            "starts": len(result.windows.action),
            **figures_tree(result.play),
            "imagined_reward_per_step": reward_per_step(result.play.imagined_return, result.play.imagined_alive),
            "real_reward_per_step": reward_per_step(result.play.real_return, result.play.real_alive),
        }
        for result in results
    ]


def draw_imagined(results: Sequence[ImaginedResult], save: Path) -> Path:
    """Draw returns and shares of episodes that go on, in the model and really, against the horizon; return the path."""
    chart: dict[str, list[HorizonCurve]] = {}
    for temperature in dict.fromkeys(result.temperature for result in results):
        group = [result for result in results if result.temperature == temperature]
        for title, imagined, real in (
            ("Return", "imagined_return", "real_return"),
            ("Episodes that go on", "imagined_alive", "real_alive"),
        ):
            lines = [
                horizon_curve(
                    f"in the model, temp. {result.model_temperature:g}" if len(group) > 1 else "in the model",
                    getattr(result.play, imagined),
                )
                for result in group
            ]
            really = horizon_curve("really", getattr(group[0].play, real))._replace(baseline=True)
            chart[f"{title}, policy temperature {temperature:g}"] = [*lines, really]
    return plot_horizon(chart, save, "The policy inside the model and in the real world", columns=2)


def _films(results: Sequence[ImaginedResult], evaluator: Evaluator, occasion: Occasion) -> Extras:
    if not occasion.videos or evaluator.spec.image is None:
        return NOTHING
    image_of, context = evaluator.spec.image_of, evaluator.settings.context
    return Extras(
        videos={
            one.name: imagined_video(one.predicted.frame, image_of(one.windows.observation), context, VIDEO_WINDOWS)
            for one in results
        }
    )


IMAGINED = Measure(
    name="imagined",
    run=play_imagined,
    metrics=_metrics,
    needs=("world model", "policy"),
    occasions=("imagined",),
    table=print_imagined,
    tree=imagined_tree,
    picture=draw_imagined,
    picture_name="policy",
    extras=_films,
    over_steps=("imagined_return_at_", "real_return_at_"),
)
"""The policy inside the world model."""
