"""When a model says that an episode will end, from each of its moments."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from worldmodels.analysis.style import COLORS, QUIET, panels, save_figure


def plot_foresight(predicted_end: np.ndarray, first_foreseen: int | None, save: Path | str, title: str) -> Path:
    """The predicted end against the moment of the prediction; gives the path.

    Args:
        predicted_end: (T,), in steps; NaN where none is foreseen.
        first_foreseen: the moment from which on the end was foretold, if it was.
    """
    length = len(predicted_end)
    with panels(1, 1, 7.0, 3.9) as (figure, places):
        axes = places[0]
        axes.axhline(length, color=QUIET, linestyle="--", label=f"the end, step {length}")
        axes.plot([0, length], [0, length], color=QUIET, linewidth=1, label="now")
        axes.plot(np.arange(length), predicted_end, ".", color=COLORS[0], label="predicted end")
        if first_foreseen is not None:
            label = f"foreseen {length - first_foreseen} steps ahead"
            axes.axvline(first_foreseen, color=COLORS[1], label=label)
        axes.set(title=title, xlabel="step at which the model is asked", ylabel="step of the end", ylim=(0, None))
        axes.legend(frameon=False)
        return save_figure(figure, save)
