"""Makes the table of distribution shifts: for the terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldmodels.evaluation.playing.policy_returns import Episodes
from worldmodels.evaluation.report.numbers import metrics_tree, number
from worldmodels.evaluation.shift.effects import (
    ShiftedPlay,
    lost_return,
    model_verdict,
    policy_verdict,
)

Plays = Mapping[str, ShiftedPlay]
"""The plays by the name of the shift; the first is as in training."""


def shift_columns(plays: Plays, titles: Mapping[str, str], horizon: int) -> list[str]:
    """Return the titles of the columns; those of the model only if there is one.

    Args:
        titles: the titles of the model's figures; see `Measure.shift_columns`.
    """
    columns = ["shift", "policy", "return", "random"]
    if any(play.model for play in plays.values()):
        columns += ["model", *(title.format(horizon=horizon) for title in titles.values() if title)]
    return columns


def shift_rows(plays: Plays, titles: Mapping[str, str]) -> list[list[str]]:
    """Return a row of texts for each shift."""
    training = next(iter(plays.values()))
    rows = []
    for name, play in plays.items():
        found, at_random = play.policy.estimate(), play.random.estimate()
        verdict = "" if play is training else policy_verdict(play, training)
        row = [name, verdict, f"{number(found.mean)} ± {number(found.high - found.mean)}", number(at_random.mean)]
        if play.model is not None:
            verdict = "" if play is training else model_verdict(play.model, training.model)
            figures = [play.model[name] for name, title in titles.items() if title]
            row += [verdict, *("> 99" if figure > 99 else number(figure) for figure in figures)]
        rows.append(row)
    return rows


def as_markdown(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown under its title."""
    lines = [columns, ["---"] * len(columns), *rows]
    return f"# {title}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def shifts_tree(plays: Plays) -> list[dict[str, Any]]:
    """Return the plays for JSON, each with its difference from the first; numbers that are not known are null."""
    training = next(iter(plays.values()))
    return [
        {
            "shift": name,
            "policy": _episodes_tree(play.policy),
            "random": _episodes_tree(play.random),
            "return_over_training": None if play is training else metrics_tree(lost_return(play, training)._asdict()),
            "policy_verdict": None if play is training else policy_verdict(play, training),
            "model": None if play.model is None else metrics_tree(play.model),
            "model_verdict": None if play is training else model_verdict(play.model, training.model) or None,
        }
        for name, play in plays.items()
    ]


def _episodes_tree(episodes: Episodes) -> dict[str, Any]:
    found = metrics_tree(episodes.estimate()._asdict())
    return {**found, "unfinished": episodes.unfinished, "mean_length": float(episodes.lengths.mean())}
