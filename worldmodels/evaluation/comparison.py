"""Compares runs: the returns of their last evaluations, and by how much the first run's exceed the others'.

Reads the results that `worldmodels eval` left in the runs' folders, and loads no TensorFlow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from worldmodels.analysis.runs.folders import read_settings
from worldmodels.analysis.statistics.bootstrap import Estimate, Span, difference, estimate
from worldmodels.core.configuration.ranges import Count, Section
from worldmodels.core.errors import FileError, UserError, counted
from worldmodels.core.files.json_files import parse_json, parse_strict
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import read_regular
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.levels import returns_within
from worldmodels.telemetry.run_table import print_table

BASELINES = ("random", "blind")
"""Policies that learned nothing: of random actions, and the best that sees nothing."""


@dataclass(frozen=True)
class _EvaluationHead(Section):
    """The head of an evaluation's file."""

    created: str
    mode: str
    agent: str
    levels: str
    game: str
    distribution_mode: str | None
    """That of a native game; environments of others have none."""
    step: Count


class PlayedReturns(NamedTuple):
    """The episodes of one policy on some levels."""

    who: str
    step: int | None
    """Environment steps from which it has learned; None where nothing was learned."""
    returns: tuple[float, ...]
    within: Span
    """The least and the greatest return of an episode."""


def compare_runs(paths: Sequence[str]) -> None:
    """Print a table for each game and set of levels on which runs were evaluated.

    Raises:
        UserError: a folder is no run, or its policy was never evaluated.
    """
    tables: dict[str, list[PlayedReturns]] = {}
    baselines: dict[str, list[PlayedReturns]] = {}
    for path in paths:
        for head, cells, file in _newest(path):
            where = ", ".join(filter(None, (head.game, head.distribution_mode, head.levels)))
            cell = _chosen(cells)
            sequential = read_settings(Path(path)).get("env.use_sequential_levels", "true") == "true"
            span = returns_within(EnvConfig(game=head.game, use_sequential_levels=sequential))
            tables.setdefault(where, []).append(PlayedReturns(path, head.step, _returns(cell, "policy", file), span))
            names = [name for name in BASELINES if name == "random" or name in cell]  # not every game has all
            baselines[where] = [PlayedReturns(name, None, _returns(cell, name, file), span) for name in names]
    for where, played in tables.items():
        _print(where, [*played, *baselines[where]])


def _newest(path: str) -> Iterator[tuple[_EvaluationHead, list[Any], Path]]:
    """Yield the newest evaluation of a run's policy on each set of levels: its head, its cells and its file."""
    found: dict[str, tuple[_EvaluationHead, list[Any], Path]] = {}
    for file in RunDir.open(path).eval.glob("step_*.json"):
        text, where = read_regular(file), f"'{file}'"
        head = parse_json(text, _EvaluationHead, where, allow_more=True)
        cells = parse_strict(text, where).get("returns")  # of a model alone there are none
        if (head.mode, head.agent) != ("real", "policy") or not isinstance(cells, list) or not cells:
            continue
        before = found.get(head.levels)
        if before is None or (head.step, head.created) > (before[0].step, before[0].created):
            found[head.levels] = (head, cells, file)
    if not found:
        raise UserError(f"The policy of '{path}' was never evaluated. To do so: worldmodels eval {path}")
    yield from (found[levels] for levels in sorted(found, reverse=True))  # training levels, then test levels


def _chosen(cells: list[Any]) -> Any:
    """Return the cell at temperature 1 without no-ops, or the first where there is none."""
    for cell in cells:
        if isinstance(cell, dict) and (cell.get("temperature"), cell.get("noops")) == (1, 0):
            return cell
    return cells[0]


def _returns(cell: Any, who: str, file: Path) -> tuple[float, ...]:
    played = cell.get(who) if isinstance(cell, dict) else None
    values = played.get("returns") if isinstance(played, dict) else None
    if not isinstance(values, list) or not values or not all(isinstance(value, int | float) for value in values):
        raise FileError(f"'{file}' must hold the returns of {who} in each setting, a list of numbers; it does not.")
    return tuple(values)


def _print(where: str, played: Sequence[PlayedReturns]) -> None:
    first, rows = played[0], []
    for one in played:
        step = "-" if one.step is None else f"{one.step:,}"
        behind = "" if one is first else _words(difference(first.returns, one.returns, within=one.within), "+.2f")
        rows.append([one.who, step, _words(estimate(one.returns, within=one.within), ".2f"), behind])
    columns = ["policy", "real steps", "return", "behind the first"]
    counts = sorted({len(one.returns) for one in played})
    *others, most = counts
    each = " or ".join([*map(str, others), counted(most, "episode")])
    caption = f"Means of {each}, with their 95 % intervals."
    print_table(f"Returns in {where}", columns, rows, caption)


def _words(figure: Estimate, form: str) -> str:
    return f"{figure.mean:{form}} ({figure.low:.2f} to {figure.high:.2f})"
