"""Writes the figures of experiments as text: results/learning.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from worldmodels.envs.games.levels import MEASURED
from worldmodels.envs.games.table import GAME_INFO

SCALE = "0 is a policy that sees nothing, 1 the practical best; n counts runs, one for each seed and game."
LEVEL_TITLES = {"train": "training levels", "test": "test levels"}


def report(preamble: str, experiments: Sequence[dict[str, Any]]) -> str:
    """Return the report of one or more experiments as Markdown."""
    return "\n".join([preamble, *(line for figures in experiments for line in _experiment(figures))]) + "\n"


def _experiment(figures: dict[str, Any]) -> Iterator[str]:
    yield f"\n## `{figures['experiment']}`: {figures['steps']:,} real steps\n"
    yield f"On {', '.join(figures['processors'])}. {figures['made']}\n"
    names = dict.fromkeys(GAME_INFO[row["game"]].title for row in figures["games"])
    yield f"Over all games ({', '.join(names)}): interquartile means. {SCALE}\n"
    yield from _learners(figures)
    if figures["pairs"]:
        yield f"Two learners on the games and seeds that both have finished. {SCALE}\n"
        yield from _pairs(figures)
    yield f"Game by game. {SCALE}\n"
    yield from _games(figures)
    if figures["foresight"]:
        yield from _foresight(figures)


def _learners(figures: dict[str, Any]) -> Iterator[str]:
    baseline = figures["learners"][0]["learner"]
    over = {pair["learner"]: pair["levels"] for pair in figures["pairs"] if pair["baseline"] == baseline}
    rows = []
    for row in figures["learners"]:
        returns = []
        for levels in MEASURED:
            compared = over.get(row["learner"], {}).get(levels, {})
            returns.append(_interval(row["interquartile_mean"].get(levels), "value"))
            returns.append(_interval(compared.get("probability_of_improvement"), "value", digits=2))
        minutes = [f"{row[name]['mean']:.1f}" for name in ("wall_minutes", "processor_minutes")]
        steps = " to ".join(dict.fromkeys(f"{step:,}" for step in (row["steps"][0], row["steps"][-1])))
        runs = _runs(row["compared_runs"], row["compared_games"])
        rows.append([figures["titles"][row["learner"]], runs, *returns, steps, *minutes])
    random = figures["learners"][0]["random_interquartile_mean"]
    if random:
        means = [cell for levels in MEASURED for cell in (f"{random[levels]:.3f}", "-")]
        rows.append(["random policy", "-", *means, "0", "-", "-"])
    title = figures["titles"][baseline]
    columns = [
        column
        for levels in MEASURED
        for column in (
            f"normalised return, {LEVEL_TITLES[levels]} (95 %)",
            f"probability of improvement over {title}, {LEVEL_TITLES[levels]} (95 %)",
        )
    ]
    yield from table(["learner", "n", *columns, "real steps", "minutes a run", "processor minutes a run"], rows)


def _pairs(figures: dict[str, Any]) -> Iterator[str]:
    titles, rows = figures["titles"], []
    for pair in figures["pairs"]:
        for levels, found in pair["levels"].items():
            name = f"{titles[pair['learner']]} minus {titles[pair['baseline']]}"
            values = [_interval(found[which], "value") for which in ("value", "baseline_value")]
            better = _interval(found["probability_of_improvement"], "value", digits=2)
            higher = f"{found['games_higher']} of {pair['games']}"
            difference = _interval(found["difference"], "value", "+")
            values.append(f"{found['random']:.3f}")
            rows.append([name, str(pair["runs"]), LEVEL_TITLES[levels], *values, difference, better, higher])
    columns = [
        "first (95 %)",
        "second (95 %)",
        "random policy",
        "difference (95 %)",
        "probability of improvement (95 %)",
        "games with the higher mean",
    ]
    yield from table(["pair", "n of each", "levels", *columns], rows)


def _games(figures: dict[str, Any]) -> Iterator[str]:
    rows = []
    for row in figures["games"]:
        for levels, found in row["levels"].items():
            names = [GAME_INFO[row["game"]].title, figures["titles"][row["learner"]], LEVEL_TITLES[levels]]
            normalised = [_interval(found["normalised"]), f"{found['random_normalised']:.3f}"]
            each = ", ".join(f"{value:.2f}" for value in found["returns"])
            mean, random = _interval(found["mean"], digits=2), f"{found['random']:.2f}"
            rows.append([*names, str(len(found["returns"])), *normalised, mean, random, each])
    columns = [
        *("game", "learner", "levels", "n", "normalised return (95 %)", "of the random policy"),
        *("mean return (95 %)", "of the random policy", "mean return of each seed"),
    ]
    yield from table(columns, rows)


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
        "The predictions of the world models on test levels, in play by their own policies (means over seeds): rewards "
        "and ends 1 to 5 steps ahead, images 15 steps ahead.\n"
    )
    columns = [
        "average precision of rewards (base rate)",
        "rewards, predicted / true",
        "average precision of ends (base rate)",
        "ends, predicted / true",
        "image error / that of copying",
    ]
    yield from table(["game", "learner", *columns], rows)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
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
