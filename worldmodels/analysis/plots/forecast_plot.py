"""A picture of the ends that a model predicts from each step of an episode."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from worldmodels.analysis.plots.style import COLORS, QUIET, panels, save_figure


def plot_forecast(
    predicted_end: npt.NDArray[np.float64], first_correct: int | None, save: Path | str, title: str
) -> Path:
    """Draw the predicted end against the step of the prediction, and return the path.

    Args:
        predicted_end: (T,), in steps; NaN where none is predicted.
        first_correct: the step from which on the end was always predicted, if it was.
    """
    length = len(predicted_end)
    with panels(1, 1, 7.0, 3.9) as (figure, places):
        axes = places[0]
        axes.axhline(length, color=QUIET, linestyle="--", label=f"the end, step {length}")
        axes.plot([0, length], [0, length], color=QUIET, linewidth=1, label="the step of the prediction")
        axes.plot(np.arange(length), predicted_end, ".", color=COLORS[0], label="predicted end")
        if first_correct is not None:
            label = f"predicted {length - first_correct} steps ahead"
            axes.axvline(first_correct, color=COLORS[1], label=label)
        axes.set(title=title, xlabel="step of the prediction", ylabel="step of the end", ylim=(0, None))
        axes.legend(frameon=False)
        return save_figure(figure, save)
