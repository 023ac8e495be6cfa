"""Writes the report of runs, with the condition of each: finished, failed, stopped, running."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldmodels.analysis.report.contents import ReportRequest, RunCondition
from worldmodels.analysis.report.page import write_report
from worldmodels.analysis.runs.folders import is_recorded, read_tree, walk_folders
from worldmodels.config.training_config import ModelBasedConfig, ModelFreeConfig, OffPolicyConfig
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.errors import UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import lock_holder
from worldmodels.experiments.grid import Grid, training_log
from worldmodels.experiments.grid_job import failure_note
from worldmodels.experiments.jobs import log_end
from worldmodels.training.check import is_trained


@dataclass(frozen=True)
class _TrainingSection:
    """The section of a configuration with the length of a run; reading all sections takes ten times as long."""

    training: ModelBasedConfig | ModelFreeConfig | OffPolicyConfig


def report_runs(request: ReportRequest, grids: Sequence[Grid] = ()) -> Path:
    """Write a report of runs with the condition of each, and return its path; raises as `write_report`.

    Args:
        grids: grids whose runs are named even if they have not begun.
    """
    conditions = {run.path: RunCondition("not begun") for grid in grids for run in grid.runs}
    conditions |= {run: run_condition(run) for run in all_runs(request.paths)}
    return write_report(request, {run: known for run, known in conditions.items() if _is_chosen(run, request)})


def run_condition(run: Path) -> RunCondition:
    """Return the condition of a run."""
    try:
        if (run / "meta.json").exists() and _is_finished(run):
            return RunCondition("finished")
        if run.is_dir() and lock_holder(run) is not None:
            return RunCondition("running")
    except (UserError, OSError, KeyError, TypeError) as error:
        return RunCondition("unknown", str(error))
    if failure_note(run).exists():
        return RunCondition("failed", log_end(training_log(run)))
    return RunCondition("unfinished" if (run / "meta.json").exists() else "unknown")


def default_place(paths: Sequence[Path | str]) -> Path:
    """Return the default path of a report: in the folder of runs, if one is given, else in the working directory."""
    only = Path(paths[0])
    return (only if len(paths) == 1 and only.is_dir() and not is_recorded(only) else Path()) / "report.html"


def command_text(words: Sequence[str]) -> str:
    """Return the command line that makes a report."""
    return shlex.join(["worldmodels", "report", *words])


def all_runs(paths: Sequence[Path | str]) -> Iterator[Path]:
    """Yield the folders of all runs, also without records, or of runs that failed before they had a folder."""
    for folder in walk_folders(paths):
        if is_recorded(folder) or (folder / "meta.json").exists():
            yield folder
        else:
            for note in sorted(folder.glob("failed_*.txt")):
                run = folder / re.sub(r"^failed_|\.txt$", "", note.name)
                if not run.is_dir():
                    yield run


def _is_finished(run: Path) -> bool:
    tree = read_tree(run)
    training = from_dict(_TrainingSection, {"training": tree["training"]}, str(run)).training
    return is_trained(RunDir(run), training, tree["env"]["num_envs"])


def _is_chosen(run: Path, request: ReportRequest) -> bool:
    grouping = request.grouping
    return all(text in str(run) for text in grouping.select) and not any(text in str(run) for text in grouping.exclude)
