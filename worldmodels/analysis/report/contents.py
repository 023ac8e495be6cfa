"""Reads everything of which a report is made: its request, and the folders of its runs."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from worldmodels.analysis.plots.value_panels import RETURNS, RunMetrics
from worldmodels.analysis.report.html import counted
from worldmodels.analysis.runs.folders import Settings, find_runs_by_path, is_recorded, read_settings, walk_folders
from worldmodels.analysis.runs.groups import ALL_RUNS, Grouping, RunGroup, group_by_path, group_runs
from worldmodels.analysis.runs.records import Series, load_metrics
from worldmodels.analysis.runs.reference_scores import BESIDE_METHOD, TaskRuns, read_task, task_runs
from worldmodels.core.errors import FileError, RunError, UserError
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.writing import read_regular


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


EVALUATION = "eval/"
"""The names of what evaluations during training measure begin so."""


_MODEL_FILE = re.compile(r"step_\d+_model(_test)?(?:_\d+)?\.json")
"""The names of files of evaluations of the model alone, on training levels or on test levels."""


class Contents(NamedTuple):
    """The runs of a report, and what they recorded."""

    found: TaskRuns
    """Runs by variant, which is a method, and task."""
    settings: Mapping[Path, Settings]
    metrics: RunMetrics
    """Returns and evaluations of each run, against its steps."""
    conditions: Conditions
    """The condition of every run, also of those that are in nothing else of this."""
    notes: list[str]
    """Sentences on what a reader should know of the runs."""

    def runs_of(self, method: int) -> list[Path]:
        """Return the runs of a variant in all tasks."""
        return [run for (number, _), runs in self.found.runs.items() if number == method for run in runs]


def read_contents(request: ReportRequest, conditions: Conditions) -> Contents:
    """Return what the runs of a request hold; a run that cannot be read is left out, and its condition says why.

    Where runs have conditions, none of them needs to have recorded anything.

    Raises:
        RunError: there are no such runs, or none of them can be read.
        UserError: the names of variants are not as many as the variants.
    """
    paths = _recorded_runs(request, conditions)
    settings, metrics, known = dict[Path, Settings](), dict[Path, dict[str, Series]](), dict(conditions)
    for run in [run for runs in paths.values() for run in runs]:
        try:
            read_task(run)
            settings[run], metrics[run] = read_settings(run), _records(run)
            known.setdefault(run, RunCondition("unknown"))
        except UserError as error:
            known[run] = RunCondition("unreadable", str(error))
    reasons = [condition.reason for condition in known.values() if condition.state == "unreadable"]
    if len(reasons) == len(known):
        raise RunError(
            f"Of {counted(len(reasons), 'run')} none can be read, so there is nothing to report. {reasons[0]}"
        )
    readable = {path: [run for run in runs if run in metrics] for path, runs in paths.items()}
    with noted() as notes:
        groups = _groups({path: runs for path, runs in readable.items() if runs}, request)
    return Contents(task_runs(groups), settings, metrics, known, notes)


def _recorded_runs(request: ReportRequest, conditions: Conditions) -> dict[Path, list[Path]]:
    """Return the runs with records by path, without paths of which nothing but the conditions of runs is known."""
    paths = [path for path in request.paths if not _is_without_records(Path(path), conditions)]
    return find_runs_by_path(paths, request.grouping.select, request.grouping.exclude) if paths else {}


def _is_without_records(path: Path, conditions: Conditions) -> bool:
    known = any(str(run).startswith(str(path)) for run in conditions)
    return known and not any(map(is_recorded, walk_folders([path])))


@contextmanager
def noted() -> Iterator[list[str]]:
    """Collect the warnings of a block as notes, in place of showing them; each once."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    notes += dict.fromkeys(str(warning.message) for warning in caught)


def _groups(runs: Mapping[Path, Sequence[Path]], request: ReportRequest) -> list[RunGroup]:
    if request.grouping.by == "path":
        return group_by_path(runs, request.grouping.names)
    every = [run for own in runs.values() for run in own]
    return group_runs(every, names=request.grouping.names, aside=BESIDE_METHOD)


def _records(run: Path) -> dict[str, Series]:
    """Return returns and evaluations: those of training, and those of the model alone that training does not take."""
    recorded = {
        name: series for name, series in load_metrics(run).items() if name in RETURNS or name.startswith(EVALUATION)
    }
    return {**_of_model(run), **recorded}


def _of_model(run: Path) -> dict[str, Series]:
    """Return the metrics of `worldmodels eval --mode model` against the steps of the checkpoints."""
    found: dict[str, dict[int, float]] = {}
    evaluations = [
        ("test_" if match[1] else "", file, parse_strict(read_regular(file), f"'{file}'"))
        for file in run.glob("eval/step_*.json")
        if (match := _MODEL_FILE.fullmatch(file.name))
    ]
    for levels, file, tree in sorted(evaluations, key=lambda one: str(one[2].get("created"))):
        step, metrics = tree.get("step"), tree.get("metrics")
        if not isinstance(step, int) or not isinstance(metrics, dict):
            raise FileError(f"'{file}' must hold the step of a checkpoint and metrics by name; it does not.")
        for name, value in metrics.items():
            if isinstance(value, int | float):
                found.setdefault(name.replace("/", f"/{levels}", 1), {})[step] = float(value)
    return {name: Series(*map(np.array, zip(*sorted(values.items()), strict=True))) for name, values in found.items()}
