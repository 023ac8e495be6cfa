"""The figures of experiments as text: results/learning.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from worldmodels.envs.games import GAME_INFO
from worldmodels.envs.levels import LEVELS

LEVEL_TITLES = {"train": "training levels", "test": "test levels"}


def report(preamble: str, experiments: Sequence[dict[str, Any]]) -> str:
    """Return the report of one or more experiments as Markdown."""
    return "\n".join([preamble, *(line for figures in experiments for line in _experiment(figures))]) + "\n"


def _experiment(figures: dict[str, Any]) -> Iterator[str]:
    yield f"\n## `{figures['experiment']}`: {figures['steps']:,} real steps\n"
    yield f"On {', '.join(figures['processors'])}. {figures['made']}\n"
    names = dict.fromkeys(GAME_INFO[row["game"]].title for row in figures["games"])
    yield f"Over all games ({', '.join(names)}):\n"
    yield from _learners(figures)
    if figures["pairs"]:
        yield from _pairs(figures)
    yield from _games(figures)
    if figures["foresight"]:
        yield from _foresight(figures)


def _learners(figures: dict[str, Any]) -> Iterator[str]:
    rows = []
    for row in figures["learners"]:
        means = [_interval(row["interquartile_mean"].get(levels), "value") for levels in LEVELS]
        minutes = [f"{row[name]['mean']:.1f}" for name in ("wall_minutes", "processor_minutes")]
        steps = " to ".join(dict.fromkeys(f"{step:,}" for step in (row["steps"][0], row["steps"][-1])))
        rows.append(
            [
                figures["titles"][row["learner"]],
                _runs(row["compared_runs"], row["compared_games"]),
                *means,
                steps,
                *minutes,
            ]
        )
    random = figures["learners"][0]["random_interquartile_mean"]
    if random:
        rows.append(["random policy", "-", *(f"{random[levels]:.3f}" for levels in LEVELS), "0", "-", "-"])
    columns = [f"normalised return, {LEVEL_TITLES[levels]}: interquartile mean (95 %)" for levels in LEVELS]
    yield from _table(["learner", "runs", *columns, "real steps", "minutes a run", "processor minutes a run"], rows)


def _pairs(figures: dict[str, Any]) -> Iterator[str]:
    titles, rows = figures["titles"], []
    for pair in figures["pairs"]:
        for levels, found in pair["levels"].items():
            name = f"{titles[pair['learner']]} less {titles[pair['baseline']]}"
            better = _interval(found["probability_of_improvement"], "value", digits=2)
            higher = f"{found['games_higher']} of {pair['games']}"
            rows.append(
                [
                    name,
                    str(pair["runs"]),
                    LEVEL_TITLES[levels],
                    _interval(found["difference"], "value", "+"),
                    better,
                    higher,
                ]
            )
    columns = [
        "difference of interquartile means (95 %)",
        "probability of improvement (95 %)",
        "games with the higher mean",
    ]
    yield from _table(["pair", "runs of each", "levels", *columns], rows)


def _games(figures: dict[str, Any]) -> Iterator[str]:
    rows = []
    for row in figures["games"]:
        for levels, found in row["levels"].items():
            each = ", ".join(f"{value:.2f}" for value in found["returns"])
            means = [_interval(found["mean"], digits=2), each, _interval(found["normalised"])]
            game = GAME_INFO[row["game"]].title
            rows.append(
                [game, figures["titles"][row["learner"]], LEVEL_TITLES[levels], *means, f"{found['random']:.2f}"]
            )
    yield "Game by game:\n"
    columns = ["game", "learner", "levels", "mean return (95 %)", "of each seed", "normalised (95 %)", "random policy"]
    yield from _table(columns, rows)


def _foresight(figures: dict[str, Any]) -> Iterator[str]:
    rows = []
    for row in figures["foresight"]:
        events = [
            text
            for event in ("reward", "end")
            for text in (
                f"{_number(row[f'{event}_average_precision'])} ({_number(row[f'{event}_base_rate'])})",
                _number(row[f"{event}_ratio"]),
            )
        ]
        copying = row["copy_image_error"]
        ratio = None if row["image_error"] is None or not copying else row["image_error"] / copying
        rows.append([GAME_INFO[row["game"]].title, figures["titles"][row["learner"]], *events, _number(ratio)])
    yield (
        "What the world models foresee on test levels, where their own policies play (means over seeds): rewards and "
        "ends 1 to 5 steps ahead, images 15 steps ahead.\n"
    )
    columns = [
        "average precision of rewards (base rate)",
        "rewards, predicted / true",
        "average precision of ends (base rate)",
        "ends, predicted / true",
        "image error / that of copying",
    ]
    yield from _table(["game", "learner", *columns], rows)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def _runs(runs: int, games: int) -> str:
    return f"{runs} in {games} games" if games > 1 else f"{runs}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _interval(found: dict[str, Any] | None, key: str = "mean", sign: str = "", digits: int = 3) -> str:
    if found is None or found[key] is None:
        return "-"
    value = f"{found[key]:{sign}.{digits}f}"
    return value if found["low"] is None else f"{value} ({found['low']:.{digits}f} to {found['high']:.{digits}f})"
