"""Writes the results in foreign environments as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from few_steps.cells import Experiment, gone_line
from provenance import made_line

from worldmodels.analysis.statistics.bootstrap import estimate

NO_NOTES: Mapping[str, str] = MappingProxyType({})
COLUMNS = (
    "environment",
    "learner",
    "mean over seeds (95 %)",
    "each seed",
    "all episodes of training (95 %)",
    "random policy",
    "episodes",
    "minutes",
    "processor minutes",
)


def report(
    preamble: str, experiments: Sequence[tuple[Experiment, list[dict[str, Any]]]], notes: Mapping[str, str] = NO_NOTES
) -> str:
    """Return the report of experiments, each with its results, of which there is at least one.

    Args:
        notes: text below the table of an experiment, by its name.
    """
    lines = [preamble]
    for experiment, results in experiments:
        lines += _experiment(experiment, results)
        if experiment.name in notes:
            lines.append(notes[experiment.name])
    return "\n".join(lines) + "\n"


def _experiment(experiment: Experiment, results: list[dict[str, Any]]) -> Iterator[str]:
    processors = sorted({found["processor"] for found in results})
    yield f"\n## `{experiment.name}`: {experiment.steps:,} steps of the agent\n"
    yield f"On {', '.join(processors)}, one core for each run. {made_line(results)}\n"
    if gone := gone_line(found["settings"] for found in results):
        yield f"{gone}\n"
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|---" * len(COLUMNS) + "|"
    for game in experiment.games:
        for name, learner in experiment.learners.items():
            found = [one for one in results if (one["game"], one["learner"]) == (game, name)]
            if found:
                yield f"| {game} | {learner.title} | {' | '.join(_cells(found))} |"
        yield from _always_up(game, [one for one in results if one["game"] == game and "up" in one["returns"]])


def _always_up(game: str, results: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the row of a policy that always goes up, if results have it."""
    if results:
        mean, episodes = results[0]["returns"]["up"]["mean"], results[0]["episodes"]
        yield f"| {game} | always up, which sees nothing | {mean:.2f} |  |  |  | {episodes} |  |  |"


def _over_seeds(means: list[float]) -> str:
    if not means:
        return ""
    over = estimate(np.array(means))
    return f"{over.mean:.2f}" + (f" ({over.low:.2f} to {over.high:.2f})" if len(means) > 1 else "")


def _cells(found: list[dict[str, Any]]) -> Iterator[str]:
    means = [one["returns"]["policy"]["mean"] for one in found]
    yield _over_seeds(means)
    yield ", ".join(f"{mean:.2f}" for mean in means)
    yield _over_seeds([one["returns"]["training"]["mean"] for one in found if "training" in one["returns"]])
    yield f"{np.mean([one['returns']['random']['mean'] for one in found]):.2f}"
    yield ", ".join(map(str, sorted({one["episodes"] for one in found})))
    for clock in ("wall_seconds", "processor_seconds"):
        yield f"{np.mean([one[clock] for one in found]) / 60:.0f}"
