"""Measures the errors of a world model against the horizon, and whether it predicts rewards and ends of episodes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from worldmodels.analysis.plots.evaluation_plots import HorizonCurve, plot_horizon
from worldmodels.analysis.statistics.last_evaluation import over_chance, over_copying
from worldmodels.core.errors import counted
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import NOTHING, Extras, Measure, Occasion
from worldmodels.evaluation.predictions.event_foresight import STEPS, EventForesight
from worldmodels.evaluation.predictions.model_errors import Curve, WorldModelErrors, model_errors, reported_horizons
from worldmodels.evaluation.predictions.windows import check_horizon
from worldmodels.evaluation.report.comparison_video import prediction_video, video_rows
from worldmodels.evaluation.report.numbers import figures_tree, horizon_curve, number
from worldmodels.telemetry.run_table import print_table

VIDEO_STEPS = 45
"""Steps that the model predicts in the video of `worldmodels eval`."""
VIDEO_WINDOWS = 6
METRICS = (
    "image_error",
    "copy_image_error",
    "moving_image_error",
    "copy_moving_image_error",
    "reconstruction_error",
    "moving_reconstruction_error",
    "state_image_error",
    "state_reconstruction_error",
    "moving_state_image_error",
    "moving_state_reconstruction_error",
    "vector_error",
    "copy_vector_error",
    "reward_accuracy",
    "reward_sum_accuracy",
    "constant_reward_sum_accuracy",
    "continuation_accuracy",
)
"""The curves of which metrics are made."""
IMAGE_ERROR, IMAGE_STANDARD_ERROR = "image_error", "image_standard_error"
"""The names of the figures of `worldmodels shift` by which a model is judged."""


class PredictedWindows(NamedTuple):
    """The errors of a world model on W windows of T = C + H steps, and a film of n of them."""

    errors: dict[float, WorldModelErrors]
    """The errors by the model's temperature."""
    context: int
    """The steps C that the model observes."""
    film: np.ndarray | None
    """uint8 (T, H', W', 3): n windows beside their prediction at the first temperature; None if nothing was filmed."""


def predict_windows(evaluator: Evaluator, occasion: Occasion) -> PredictedWindows:
    """Measure the world model on windows that training keeps apart, or else on those that its policy plays."""
    windows, context = occasion.held_out() or evaluator.recorded(), evaluator.settings.context
    if occasion.kind in ("real", "model"):
        check_horizon(windows, context)
    evaluator.report(f"Predicting {counted(len(windows.action), 'window')}")
    filmed = video_rows(windows, context, VIDEO_WINDOWS) if occasion.kind == "training" and occasion.videos else ()
    predictor, streams = evaluator.predictor, evaluator.streams
    key, predictions, errors = streams.key("prediction"), [], {}
    seen, reconstruction = predictor.measure_reconstruction(windows, streams.key("reconstruction"), filmed)
    for temperature in evaluator.settings.model_temperatures:
        measured, frames = predictor.measure(windows, key, temperature, filmed)
        foresight = predictor.foresight(windows, streams.key("foresight"), temperature)
        errors[temperature] = model_errors(measured, windows, context, evaluator.spec, seen, foresight)
        predictions.append(frames)
    film = None
    if len(filmed) and predictions[0] is not None:
        truth = evaluator.spec.image_of(windows.observation)[filmed]
        film = prediction_video(predictions[0], truth, context, reconstruction)
    return PredictedWindows(errors, context, film)


def error_metrics(errors: Mapping[float, WorldModelErrors]) -> dict[str, float]:
    """Return errors as metrics one step ahead, at a quarter of the horizon and at all of it: `eval/image_error_at_12`.

    Horizons that no window reached are left out.

    Args:
        errors: by the temperature of the model; of several, each has its temperature behind the names: `..._model0.5`.
    """
    metrics: dict[str, float] = {}
    for temperature, found in errors.items():
        suffix = f"_model{temperature:g}" if len(errors) > 1 else ""
        for name in METRICS:
            curve: Curve | None = getattr(found, name)
            if curve is not None:
                reported = reported_horizons(len(curve.n))
                metrics |= {f"{name}_at_{h}{suffix}": curve.mean[h - 1] for h in reported}
        if found.foresight:
            foresight = found.foresight._asdict()
            metrics |= {f"{name}{suffix}": value for name, value in foresight.items() if name != "starts"}
    return {f"eval/{name}": float(value) for name, value in metrics.items() if math.isfinite(value)}


def print_errors(found: PredictedWindows, levels: str) -> None:
    """Print the errors of the world model on some levels, in a table for each of its temperatures."""
    for temperature, errors in found.errors.items():
        title = f"World model, {levels}"
        _print_errors(
            errors, found.context, title if len(found.errors) == 1 else f"{title}, model temp. {temperature:g}"
        )


def _print_errors(errors: WorldModelErrors, context: int, title: str) -> None:
    n = errors.reward_accuracy.n
    horizon = len(n)
    columns = sorted({1, *(max(1, int(horizon * part)) for part in (0.25, 0.5, 1))})
    curves: list[tuple[str, Curve | None, int]] = [
        ("vector error, model", errors.vector_error, 3),
        ("vector error, last one copied", errors.copy_vector_error, 3),
        ("image error, model", errors.image_error, 5),
        ("image error, last frame copied", errors.copy_image_error, 5),
        ("image error, reconstruction", errors.reconstruction_error, 5),
        ("image error, state alone", errors.state_image_error, 5),
        ("image error, state alone seeing", errors.state_reconstruction_error, 5),
        ("moving pixels, model", errors.moving_image_error, 5),
        ("moving pixels, last frame copied", errors.copy_moving_image_error, 5),
        ("moving pixels, reconstruction", errors.moving_reconstruction_error, 5),
        ("moving pixels, state alone", errors.moving_state_image_error, 5),
        ("moving pixels, state alone seeing", errors.moving_state_reconstruction_error, 5),
        ("reward right", errors.reward_accuracy, 3),
        ("... always the commonest", errors.constant_reward_accuracy, 3),
        ("sum of rewards right", errors.reward_sum_accuracy, 3),
        ("... sum of the commonest", errors.constant_reward_sum_accuracy, 3),
        ("continuation right", errors.continuation_accuracy, 3),
        ("... always goes on", errors.constant_continuation_accuracy, 3),
    ]
    rows = [[label, *(number(curve.mean[h - 1], digits) for h in columns)] for label, curve, digits in curves if curve]
    rows.append(["windows", *(str(n[h - 1]) for h in columns)])
    caption = (
        f"{_found(errors.uncommon_rewards_found, errors.uncommon_rewards)} uncommon rewards and "
        f"{_found(errors.ends_found, errors.ends)} ends of episodes were predicted."
    )
    print_table(title, [f"after {context} frames", *(f"{h} ahead" for h in columns)], rows, caption)
    if errors.foresight:
        _print_foresight(errors.foresight, title)


def _print_foresight(foresight: EventForesight, title: str) -> None:
    rows = [
        [
            name,
            number(getattr(foresight, f"{event}_average_precision")),
            number(getattr(foresight, f"{event}_base_rate"), 3),
            number(getattr(foresight, f"{event}_ratio")),
        ]
        for name, event in (
            ("rewards", "reward"),
            ("ends of episodes", "end"),
            ("ends without a reward", "unrewarded_end"),
        )
    ]
    columns = [f"1 to {STEPS} ahead", "average precision", "base rate", "predicted over true"]
    print_table(f"{title}: foreseen from {foresight.starts} starts", columns, rows)


def _found(share: float, count: int) -> str:
    return f"{round(share * count)} of {count}" if count else "0 of 0"


def errors_tree(errors: Mapping[float, WorldModelErrors]) -> list[dict[str, Any]]:
    """Return the world model's errors at each of its temperatures; entry h of each list is for the horizon h + 1."""
    return [{"model_temperature": temperature, **figures_tree(found)} for temperature, found in errors.items()]


def draw_errors(errors: Mapping[float, WorldModelErrors], save: Path) -> Path:
    """Draw the errors and accuracies of a world model against the horizon; return the path.

    Args:
        errors: one or more, by the temperature of the model.
    """
    several, first = len(errors) > 1, next(iter(errors.values()))

    def curves(name: str, baseline: str, label: str) -> list[HorizonCurve]:
        if getattr(first, name) is None:
            return []
        lines = [
            horizon_curve(f"model, temp. {temperature:g}" if several else "model", getattr(found, name))
            for temperature, found in errors.items()
        ]
        return [*lines, horizon_curve(label, getattr(first, baseline), baseline=True)]

    commonest = "always the commonest"
    others = {"reconstruction": "reconstruction_error", "state alone": "state_image_error"}

    def images(prefix: str) -> list[HorizonCurve]:
        lines = curves(f"{prefix}image_error", f"copy_{prefix}image_error", "last frame copied")
        found = {label: getattr(first, prefix + name) for label, name in others.items()}
        return [*lines[:-1], *(horizon_curve(label, curve) for label, curve in found.items() if curve), *lines[-1:]]

    chart = {
        "Image error, mean squared": images(""),
        "Image error of moving pixels": images("moving_"),
        "Vector error, in variances": curves("vector_error", "copy_vector_error", "last one copied"),
        "Reward accuracy": curves("reward_accuracy", "constant_reward_accuracy", commonest),
        "Reward sum accuracy": curves("reward_sum_accuracy", "constant_reward_sum_accuracy", commonest),
        "Continuation accuracy": curves("continuation_accuracy", "constant_continuation_accuracy", "always goes on"),
    }
    shown = {title: lines for title, lines in chart.items() if lines}
    return plot_horizon(shown, save, "World model on held-out experience", columns=2)


def _prediction_film(found: PredictedWindows, evaluator: Evaluator, occasion: Occasion) -> Extras:
    """Return the film of training, or for `worldmodels eval` a longer one of windows of its own."""
    if found.film is not None:
        return Extras(videos={"prediction": found.film})
    if occasion.kind == "training" or not occasion.videos or evaluator.spec.image is None:
        return NOTHING
    windows = evaluator.windows("film", VIDEO_WINDOWS, VIDEO_STEPS, spread=4)
    predictor, streams, context = evaluator.predictor, evaluator.streams, found.context
    temperature = evaluator.settings.model_temperatures[0]
    predicted = predictor.predict(windows, streams.key("prediction"), temperature)
    observed = predictor.reconstruct(windows.map(lambda values: values[:, :context]), streams.key("reconstruction"))
    truth = evaluator.spec.image_of(windows.observation)
    return Extras(videos={"prediction": prediction_video(predicted.frame, truth, context, observed)})


def _shift_figures(found: PredictedWindows) -> dict[str, float]:
    """Return the image error as a share of copying's at the horizon, and how well rewards and ends are predicted."""
    errors = next(iter(found.errors.values()))
    share = standard_error = math.nan
    if errors.image_error is not None and errors.copy_image_error is not None:
        copied = float(errors.copy_image_error.mean[-1])
        share = over_copying(float(errors.image_error.mean[-1]), copied)
        standard_error = over_copying(float(errors.image_error.standard_error[-1]), copied)
    seen = errors.foresight
    return {
        IMAGE_ERROR: share,
        # The error of copying is taken as it is.
        IMAGE_STANDARD_ERROR: standard_error,
        # On the scale where chance is 0 and perfection 1.
        "rewards_foreseen": over_chance(seen.reward_average_precision, seen.reward_base_rate) if seen else math.nan,
        "ends_foreseen": over_chance(seen.end_average_precision, seen.end_base_rate) if seen else math.nan,
    }


WORLD_MODEL = Measure(
    name="world_model",
    run=predict_windows,
    metrics=lambda found: error_metrics(found.errors),
    needs=("world model", "experience"),
    table=print_errors,
    tree=lambda found: errors_tree(found.errors),
    picture=lambda found, save: draw_errors(found.errors, save),
    extras=_prediction_film,
    over_steps=(
        "image_error_at_",
        "reward_average_precision",
        "end_average_precision",
        "unrewarded_end_average_precision",
        "reward_sum_accuracy_at_",
    ),
    shift=_shift_figures,
    shift_columns={
        IMAGE_ERROR: "image, {horizon} ahead",
        IMAGE_STANDARD_ERROR: "",
        "rewards_foreseen": "rewards",
        "ends_foreseen": "ends",
    },
)
"""The errors of the world model."""
