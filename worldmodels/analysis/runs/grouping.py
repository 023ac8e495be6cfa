"""The choice of runs to draw, and of those that are drawn as one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from worldmodels.analysis.runs.run_folders import find_runs_by_path
from worldmodels.analysis.runs.run_groups import SEED, RunGroup, group_by_path, group_runs
from worldmodels.core.errors import UserError
from worldmodels.core.lookup import unknown

BY = ("configuration", "path", "run")


class Grouping(NamedTuple):
    """A grouping says which of the runs are drawn, and as which lines."""

    select: Sequence[str] = ()
    """Texts that the path of a run must contain."""
    exclude: Sequence[str] = ()
    """Texts of which it must contain none."""
    by: str = "configuration"
    """The runs of a line have one configuration, but for the seed; or one of the given paths; or each run is a line."""
    names: Sequence[str] = ()
    """Names of the groups in the legend, in their order, or as TEXT:NAME; by default what tells them apart."""


ALL_RUNS = Grouping()


def find_groups(
    paths: Sequence[Path | str], grouping: Grouping = ALL_RUNS, aside: Sequence[str] = (SEED,)
) -> list[RunGroup]:
    """Return the groups of the runs that `paths` stand for; see `find_runs` and `group_runs`.

    Args:
        aside: keys of the configuration in which the runs of a group may differ.
    """
    if grouping.by not in BY:
        raise UserError(unknown("grouping", grouping.by, BY))
    runs = find_runs_by_path(paths, grouping.select, grouping.exclude)
    if grouping.by == "path":
        return group_by_path(runs, grouping.names)
    every = [run for own in runs.values() for run in own]
    return group_runs(every, grouping.by == "run", grouping.names, aside)
