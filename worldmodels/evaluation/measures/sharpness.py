"""Measures whether imagined frames can be told apart from real ones, and how much of their small structures is there.

Squared error rewards the mean of all possible frames, which is blurred. These figures do not: a small classifier learns
to tell real frames from frames that a model imagined so many steps ahead, and is tested on other windows. Its layout
and its budget are the same for all models, so figures compare. A sharp sample has a larger squared error than the mean
of many samples. But one of several samples may be right, so the error of the best one is measured, too.

One letter per axis: W windows, C steps that are observed, H that are predicted, N frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from worldmodels.core.types import Batch
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import Measure, Occasion
from worldmodels.evaluation.predictions.model_errors import counting
from worldmodels.evaluation.report.numbers import number
from worldmodels.models.config import OptimizerConfig
from worldmodels.models.networks.images import to_float
from worldmodels.models.next_frame.networks.conv_layers import Conv2D, Linear
from worldmodels.models.optimizers import Optimizer
from worldmodels.models.variables import named_variables
from worldmodels.telemetry.run_table import print_table

Frames: TypeAlias = npt.NDArray[np.uint8]
Errors: TypeAlias = list[npt.NDArray[np.float64]]

STEPS = (1, 5, 15, 30, 100)
"""Steps ahead at which frames are compared, as far as the horizon reaches."""
UPDATES, ROWS = 250, 32
"""Updates of the classifier, and the real frames in each; it sees as many imagined ones."""
WIDTHS = (16, 32, 64, 64)
"""Channels of the classifier's convolutions, each of which halves the sides."""
COARSE = 4
"""Pixels, each way, of which the coarse picture has one."""
LEAST_WINDOWS = 16
"""Windows that must go on so far ahead; half of them train the classifier."""
SAMPLES, SAMPLED = 8, 64
"""Futures that the model samples of each window, and the windows of which it does, at most."""


class Sharpness(NamedTuple):
    """Figures of imagined frames beside real ones, by the steps ahead."""

    told_apart: dict[int, float]
    """The classifier's accuracy: 0.5 is never right but by chance, 1 is always right."""
    told_apart_coarse: dict[int, float]
    """The same for pictures of a quarter of the sides, in which only larger things are seen."""
    small_structures: dict[int, float]
    """The squared differences of neighbouring pixels over those of real frames: 1 is right, below 1 is blurred."""
    sample_error: dict[int, float]
    """The squared error of one sampled future over that of copying the last frame."""
    best_sample_error: dict[int, float]
    """The same of the best of `SAMPLES` futures: of each window and step, the one with the smallest error."""
    sample_mean_error: dict[int, float]
    """The same of the mean of these futures."""


def measure_sharpness(evaluator: Evaluator, occasion: Occasion) -> Sharpness | None:
    """Predict windows, and compare the frames with the real ones; None where nothing can be compared."""
    if evaluator.spec.image is None:
        return None
    windows, context = occasion.held_out() or evaluator.recorded(), evaluator.settings.context
    evaluator.report(f"Telling {len(windows.action)} imagined windows from real ones")
    imagined = evaluator.predictor.predict(windows, evaluator.streams.key("sharpness")).frame
    real = evaluator.spec.image_of(windows.observation)[:, context:]
    goes_on = counting(windows.is_last, context)
    steps = [step for step in STEPS if step <= real.shape[1] and goes_on[:, step - 1].sum() >= LEAST_WINDOWS]
    if not steps:
        return None
    found = Sharpness({}, {}, {}, *_sampled(evaluator, windows, steps))
    for step in steps:
        rows, seed = goes_on[:, step - 1], evaluator.streams.integer("classifier")
        truth, drawn = real[rows, step - 1], imagined[rows, step - 1]
        found.told_apart[step] = told_apart(truth, drawn, seed)
        found.told_apart_coarse[step] = told_apart(coarse(truth), coarse(drawn), seed)
        found.small_structures[step] = energy(drawn) / max(energy(truth), 1e-12)
    return found


def _sampled(evaluator: Evaluator, windows: Batch, steps: Sequence[int]) -> list[dict[int, float]]:
    """Sample futures of the first windows, one after the other, and return their errors by the steps ahead."""
    windows, context = windows.map(lambda values: values[:SAMPLED]), evaluator.settings.context
    frames, ahead = evaluator.spec.image_of(windows.observation), [step - 1 for step in steps]
    keys = [evaluator.streams.key(f"future {number}") for number in range(SAMPLES)]
    futures = (evaluator.predictor.predict(windows, key).frame[:, ahead] for key in keys)
    counts = counting(windows.is_last, context)[:, ahead]
    errors = future_errors(frames[:, context:][:, ahead], futures, frames[:, context - 1 : context], counts)
    return [dict(zip(steps, values.tolist(), strict=True)) for values in errors]


def future_errors(real: Frames, futures: Iterable[Frames], last: Frames, counts: npt.NDArray[np.bool_]) -> Errors:
    """Return the squared errors (K,) of one future, of the best of them and of their mean, over those of copying.

    Args:
        real: uint8 (W, K, h, w, c), K frames of each window.
        futures: sampled frames of the same shape, again and again.
        last: uint8 (W, 1, h, w, c), the last frame seen.
        counts: bool (W, K): the frames that count.
    """
    errors, total = [], np.zeros(real.shape, np.float32)
    for frames in futures:
        errors.append(_squared(frames, real))
        total += frames
    of_each = np.stack(errors)
    copied = np.where(counts, _squared(last, real), 0).sum(0)
    kinds = (of_each.mean(0), of_each.min(0), _squared(total / len(errors), real))
    sums = [np.where(counts, values, 0).sum(0) for values in kinds]
    return [np.divide(values, copied, out=np.full(len(copied), np.nan), where=copied > 0) for values in sums]


def _squared(frames: npt.NDArray[Any], real: Frames) -> npt.NDArray[np.float32]:
    """Return the mean squared error (W, K) of frames."""
    result: npt.NDArray[np.float32] = np.square(frames.astype(np.float32) - real).mean((2, 3, 4))
    return result


def told_apart(real: Frames, imagined: Frames, seed: int) -> float:
    """Return the accuracy of a classifier, trained on the first half of the frames, on the other half.

    Args:
        real: uint8 (N, h, w, c).
        imagined: uint8 (N, h, w, c).
        seed: of the classifier's weights and of its batches.
    """
    random, half = np.random.default_rng(seed), len(real) // 2
    classifier = Classifier(real.shape[-1], random)
    for _ in range(UPDATES):
        batch = [frames[random.integers(0, half, ROWS)] for frames in (real, imagined)]
        classifier.update(tf.constant(np.concatenate(batch)))
    right = [classifier(tf.constant(real[half:])) < 0, classifier(tf.constant(imagined[half:])) > 0]
    return float(np.concatenate(right).mean())


class Classifier:
    """A classifier of frames: convolutions, the mean over the picture, and one logit."""

    def __init__(self, channels: int, seeds: np.random.Generator) -> None:
        sizes = [channels, *WIDTHS]
        self._convolutions = [
            Conv2D(before, after, 3, 2, seeds, f"halve_{after}_{index}")
            for index, (before, after) in enumerate(zip(sizes[:-1], sizes[1:], strict=True))
        ]
        self._logit = Linear(WIDTHS[-1], 1, seeds, "imagined")
        variables = named_variables([*self._convolutions, self._logit])
        self._optimizer = Optimizer(variables, OptimizerConfig(learning_rate=1e-3, epsilon=1e-8, weight_decay=0.0))
        self.update = tf.function(self._update, autograph=False)

    def __call__(self, frames: tf.Tensor) -> tf.Tensor:
        """Return the logits, float32 (N,), that frames uint8 (N, h, w, c) are imagined."""
        x = to_float(frames)
        for convolution in self._convolutions:
            x = tf.nn.relu(convolution(x))
        return self._logit(tf.reduce_mean(x, (1, 2)))[:, 0]

    def _update(self, frames: tf.Tensor) -> None:
        """Learn from a batch: real frames, then as many imagined ones."""
        labels = tf.repeat([0.0, 1.0], frames.shape[0] // 2)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, self(frames)))
        self._optimizer.minimize(tape, loss)


def coarse(frames: Frames) -> Frames:
    """Return pictures (N, h, w, c) of a quarter of the sides, each pixel the mean of 4 x 4; what is over is cut off."""
    count, height, width, channels = frames.shape
    height, width = height // COARSE, width // COARSE
    squares = frames[:, : height * COARSE, : width * COARSE].reshape(count, height, COARSE, width, COARSE, channels)
    means: Frames = np.round(squares.mean((2, 4))).astype(np.uint8)
    return means


def energy(frames: Frames) -> float:
    """Return the mean squared difference of neighbouring pixels of frames (N, h, w, c)."""
    colours = frames.astype(np.float32)
    return float(np.mean([np.square(np.diff(colours, axis=axis)).mean() for axis in (1, 2)]))


def sharpness_metrics(found: Sharpness) -> dict[str, float]:
    """Return the figures as metrics, `eval/told_apart_at_15` for example."""
    return {
        f"eval/{name}_at_{step}": value
        for name, by in found._asdict().items()
        for step, value in by.items()
        if np.isfinite(value)
    }


def print_sharpness(found: Sharpness, levels: str) -> None:
    """Print the figures on some levels, with a column for each step."""
    titles = [
        "told apart from real frames",
        "... at a quarter of the sides",
        "small structures over real ones",
        "squared error of a sample over copying",
        f"... of the best of {SAMPLES} samples",
        f"... of the mean of {SAMPLES} samples",
    ]
    rows = [[title, *map(number, by.values())] for title, by in zip(titles, found, strict=True)]
    caption = (
        "Told apart: accuracy of a small classifier on other windows, from 0.5 (never) to 1 (always). Small "
        "structures: 1 is right, and less is blurred. Squared error is smallest for the mean of all possible frames."
    )
    print_table(f"Sharpness, {levels}", ["steps ahead", *map(str, found.told_apart)], rows, caption)


SHARPNESS = Measure(
    name="sharpness",
    run=measure_sharpness,
    metrics=sharpness_metrics,
    needs=("world model", "experience"),
    occasions=("model",),
    table=print_sharpness,
)
"""The likeness of imagined frames to real ones. It takes minutes, so only evaluations of the model alone have it."""
