"""A request for a report, and what is known of the runs beside their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from worldmodels.analysis.runs.grouping import ALL_RUNS, Grouping


class RunCondition(NamedTuple):
    """A run's training stands so."""

    state: str
    """The word for it: one of `STATES`."""
    reason: str = ""
    """The end of the output of what failed, or why a run cannot be read."""


STATES = {
    "finished": "has done all that its configuration asks for",
    "running": "is being trained",
    "unfinished": "was stopped, and goes on with the same command",
    "failed": "ended with an error",
    "not begun": "has no folder yet",
    "unreadable": "is left out of everything else",
    "unknown": "has no checkpoint that tells how far it came",
}
COMPLETE = ("finished", "unknown")
"""The states of runs whose last records count as their results."""


class ReportRequest(NamedTuple):
    """A request for a report of runs."""

    paths: Sequence[Path | str]
    """Run folders, folders of runs, or how their names begin; see `find_runs`."""
    save: Path
    """The page to write."""
    grouping: Grouping = ALL_RUNS
    """A variant is a configuration, games and seeds aside, or a path."""
    normalize: str | None = None
    """The scale of returns over several games, see `find_scale`; None: the published one that all have, if any."""
    at: int | None = None
    """The step at which returns are compared; None: the end of each finished run."""
    films: bool = False
    """The films are in the page; otherwise it links to them."""
    command: str = ""
    """The command that makes the report, which the page shows."""


Conditions = Mapping[Path, RunCondition]
"""The condition of runs by their folder, also of those that recorded nothing."""
