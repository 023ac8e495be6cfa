"""What a shift does: beyond chance, and worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worldmodels.evaluation.playing.policy_returns import Episodes
from worldmodels.evaluation.shift.run import (
    ShiftedPlay,
    as_markdown,
    lost_return,
    model_verdict,
    policy_verdict,
    shift_columns,
    shift_rows,
    shifts_tree,
)


def episodes(*returns: float) -> Episodes:
    values = np.array(returns, np.float64)
    return Episodes(values, values, np.full(len(values), 4), np.ones(len(values), bool), np.zeros(len(values), []))


def figures(error: float, standard_error: float = 0.05) -> dict[str, float]:
    names = ("image_error", "image_standard_error", "rewards_foreseen", "ends_foreseen", "known")
    return dict(zip(names, (error, standard_error, 0.5, 0.25, math.nan), strict=True))


TITLES = {
    "image_error": "image, {horizon} ahead",
    "image_standard_error": "",
    "rewards_foreseen": "rewards",
    "ends_foreseen": "ends",
    "known": "known",
}


RANDOM = episodes(0, 1, 0, 1)
TRAINING = ShiftedPlay(episodes(9, 10, 9, 10), RANDOM, figures(0.4))


@pytest.mark.parametrize(
    ("returns", "verdict"),
    [((9, 10, 9, 11), "-"), ((4, 5, 4, 5), "harms"), ((0, 1, 1, 1), "breaks"), ((0, 0, 0, 10), "breaks")],
)
def test_a_policy_is_compared_with_training_and_with_random_play(returns: tuple[float, ...], verdict: str) -> None:
    assert policy_verdict(ShiftedPlay(episodes(*returns), RANDOM, None), TRAINING) == verdict


@pytest.mark.parametrize(
    ("error", "standard_error", "verdict"),
    [
        # 1.96 standard errors of the difference, of 0.05 each, are 0.1386.
        (0.53, 0.05, "-"),
        (0.54, 0.05, "harms"),
        (0.91, 0.05, "breaks"),  # 0.91 + 0.098 is not below 1
        (0.90, 0.05, "harms"),
        (math.nan, 0.05, "?"),
    ],
)
def test_a_model_is_compared_with_training_and_with_copying(error: float, standard_error: float, verdict: str) -> None:
    assert model_verdict(figures(error, standard_error), TRAINING.model) == verdict
    assert model_verdict(None, None) == ""


def test_the_table() -> None:
    plays = {"as in training": TRAINING, "black": ShiftedPlay(episodes(4, 5, 4, 5), RANDOM, figures(910.0))}
    assert lost_return(plays["black"], TRAINING).mean == -5
    columns = shift_columns(plays, TITLES, 15)
    assert columns == [
        *("shift", "policy", "return", "random"),
        *("model", "image, 15 ahead", "rewards", "ends", "known"),
    ]
    rows = shift_rows(plays, TITLES)
    # Of 9, 10, 9, 10 the standard error is the root of 1/12, times Student's 3.182 for three degrees of freedom.
    assert rows == [
        ["as in training", "", "9.50 ± 0.92", "0.50", "", "0.40", "0.50", "0.25", "?"],
        ["black", "harms", "4.50 ± 0.92", "0.50", "breaks", "> 99", "0.50", "0.25", "?"],
    ]
    lines = as_markdown("Shifts", columns[:2], [row[:2] for row in rows]).splitlines()
    assert lines == [
        "# Shifts",
        "",
        "| shift | policy |",
        "| --- | --- |",
        "| as in training |  |",
        "| black | harms |",
    ]
    first, second = shifts_tree(plays)
    assert (first["policy_verdict"], second["policy_verdict"], second["model_verdict"]) == (None, "harms", "breaks")
    assert second["return_over_training"]["mean"] == -5 and second["model"]["known"] is None


def test_a_run_without_a_model_has_a_narrower_table() -> None:
    play = ShiftedPlay(episodes(9, 10), RANDOM, None)
    assert shift_columns({"as in training": play}, TITLES, 15) == ["shift", "policy", "return", "random"]
    assert len(shift_rows({"as in training": play}, TITLES)[0]) == 4
    assert shifts_tree({"as in training": play, "b": play})[1]["model_verdict"] is None
