"""Verify everything in a run folder: what is whole, what is damaged, and how to go on."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from worldmodels.analysis.runs.records import load_metrics
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import CheckpointError, RunError, UserError
from worldmodels.core.files.checkpoint import Checkpoints, fitting
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import is_temporary, read_regular
from worldmodels.core.output import print_text
from worldmodels.loading.quiet import load_tensorflow
from worldmodels.recordings.action_recording import read_recording
from worldmodels.replay.damage import ChunkReport, examine, leave_out
from worldmodels.replay.layout import Layout
from worldmodels.telemetry.sinks import count_events
from worldmodels.telemetry.video import count_frames


class PartReport(NamedTuple):
    """A report says what was found in one part of a run folder."""

    name: str
    whole: str
    """A description of what is whole."""
    problems: list[str]
    """A sentence for everything that is not, which names the file."""
    ways_on: Sequence[str] = ()
    """Sentences that say what can be done about it."""


class Cursor(NamedTuple):
    """The steps of each stream that the checkpoint of a step needs from the replay store."""

    step: int
    first: int
    stop: int


def check_and_report(path: str | Path, mend: bool = False) -> int:
    """Check a run folder, print what was found, and return the exit status: 0 if all is whole, else 1.

    Args:
        mend: mark damaged steps of the replay store as lost first, so that the run can continue without them.

    Raises:
        RunError: there is no run, or it is being trained while something is to be left out.
    """
    run = RunDir(path)
    if not run.exists():
        RunDir.open(path)  # which says what is there instead
    if mend:
        _leave_out(run)
    problems: list[str] = []
    ways_on: list[str] = []
    for report in check_parts(run):
        print_text(f"{report.name:<14} {report.whole or 'nothing'}")
        problems += report.problems
        ways_on += report.ways_on
    if problems:
        print_text("\n".join(["Damaged:", *(f"  {problem}" for problem in problems), *ways_on]))
    return 1 if problems else 0


def check_parts(run: RunDir) -> Iterator[PartReport]:
    """Check each part of a run folder, one after the other."""
    yield _each(
        "configuration", "file", [run.config], lambda file: load_config(RunConfig, [RunDir.open(run.path).config])
    )
    checkpoints, cursors = _checkpoints(run)
    yield checkpoints
    if run.replay.exists():
        yield _replay(run, cursors)
    yield _metrics(run)
    yield _events(run)
    results = sorted(run.eval.rglob("*.json"))
    yield _each("evaluations", "file", results, lambda file: parse_strict(read_regular(file), f"'{file}'"))
    yield _each("recordings", "file", sorted(run.eval.rglob("*.jsonl")), read_recording)
    yield _each("pictures", "file", sorted(run.path.rglob("*.png")), _check_picture)
    films = sorted(file for file in run.path.rglob("*") if file.suffix in (".mp4", ".gif"))
    yield _each("videos", "film", films, count_frames)
    yield _strangers(run)


def _each(name: str, noun: str, files: list[Path], check: Callable[[Path], Any]) -> PartReport:
    problems = []
    files = [file for file in files if not is_temporary(file)]
    for file in files:
        try:
            check(file)
        except UserError as error:
            problems.append(str(error))
    return PartReport(name, _counted(len(files) - len(problems), noun), problems)


def _checkpoints(run: RunDir) -> tuple[PartReport, list[Cursor]]:
    """Return the report, and what each checkpoint that can be read needs of the replay store, oldest first."""
    checkpoints = Checkpoints(run.checkpoints)
    whole: list[str] = []
    problems: list[str] = []
    cursors: list[Cursor] = []
    for step in checkpoints.steps():
        try:
            tree = checkpoints.read(step)[1]
            with fitting("a run"):
                cursors += _cursors(step, tree)
        except CheckpointError as error:
            problems.append(str(error).rpartition("\n")[2])
            continue
        whole.append(f"{step:,}")
    if not checkpoints.steps():
        problems.append(f"There is no checkpoint in '{run.checkpoints}'.")
    return PartReport("checkpoints", f"steps {' and '.join(whole)}" if whole else "", problems), cursors


def _cursors(step: int, tree: Mapping[str, Any]) -> list[Cursor]:
    replay = tree.get("replay")
    return [Cursor(step, int(replay["first"]), int(replay["cursor"]))] if replay else []


def _replay(run: RunDir, cursors: list[Cursor]) -> PartReport:
    try:
        layout = Layout.read(run.replay)
    except UserError as error:
        return PartReport("replay", "", [str(error)])
    reports = list(examine(run.replay, layout, *_needed(cursors)))
    lost, left_out = sum(int(report.lost.sum()) for report in reports), sum(report.left_out for report in reports)
    steps = sum(report.lost.size for report in reports) - lost
    whole = f"{steps:,} steps in {_counted(len(reports), 'chunk')}" if reports else ""
    whole += f" ({left_out:,} more were damaged and left out)" if left_out else ""
    problems = [problem for report in reports for problem in report.problems]
    damaged = [report for report in reports if report.problems]
    return PartReport("replay", whole, problems, list(_ways_on(run, layout, cursors, damaged)) if damaged else ())


def _metrics(run: RunDir) -> PartReport:
    if not run.metrics.exists():
        return PartReport("metrics", "", [])
    try:
        load_metrics(run.path)
    except UserError as error:
        return PartReport("metrics", "", [str(error)])
    return PartReport("metrics", _counted(run.metrics.read_bytes().count(b"\n"), "line"), [])


def _events(run: RunDir) -> PartReport:
    files = sorted(run.path.rglob("events.out.tfevents.*"))
    if files:
        load_tensorflow()
    return _each("event files", "file", files, count_events)


def _strangers(run: RunDir) -> PartReport:
    """Report what is neither a file nor a folder, and what was left half written."""
    inside = list(run.path.rglob("*"))
    half = sum(is_temporary(path) for path in inside)
    links = [path for path in inside if not (stat.S_ISREG(mode := path.lstat().st_mode) or stat.S_ISDIR(mode))]
    problems = [f"'{path}' is a link, a pipe or a device; a run's folder holds files of its own." for path in links]
    return PartReport("half written", _counted(half, "file") + ", which the next start removes" * bool(half), problems)


def _check_picture(file: Path) -> None:
    try:
        with Image.open(file) as image:
            image.verify()
    except (OSError, SyntaxError, ValueError) as error:
        raise RunError(f"'{file}' cannot be read as a picture: {error}.") from error


def _needed(cursors: list[Cursor]) -> tuple[int, int]:
    """Return where the steps that checkpoints need end, and where they begin."""
    return max((cursor.stop for cursor in cursors), default=0), min((cursor.first for cursor in cursors), default=0)


def _ways_on(run: RunDir, layout: Layout, cursors: list[Cursor], damaged: list[ChunkReport]) -> Iterator[str]:
    """Yield what can be done about damaged chunks of the replay store."""
    whole = [cursor.step for cursor in cursors if not any(_touches(report, cursor, layout) for report in damaged)]
    if whole:
        steps = ", ".join(map(str, whole))
        yield f"The run can continue from the checkpoint of step {steps}: worldmodels train --checkpoint STEP ..."
    yield f"It can continue without the damaged steps: worldmodels check {run.path} --leave-out, then train again."


def _touches(report: ChunkReport, cursor: Cursor, layout: Layout) -> bool:
    """Return whether a checkpoint needs steps that are damaged in a chunk."""
    start = report.chunk * layout.chunk_steps
    return bool(report.lost[max(0, cursor.first - start) : max(0, cursor.stop - start)].any())


def _leave_out(run: RunDir) -> None:
    layout, (_, cursors) = Layout.read(run.replay), _checkpoints(run)
    if not cursors:
        raise RunError(
            f"Nothing of '{run.replay}' can be left out: there is no checkpoint that says what it must hold."
        )
    with run.lock():
        for report in leave_out(run.replay, layout, *_needed(cursors)):
            steps = f"{int(report.lost.sum()) - report.left_out:,} of {report.lost.size:,} steps"
            print_text(
                f"Left out {steps} of chunk {report.chunk}. Its old rows are in '{run.replay}/set-aside/damaged'."
            )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}" if count else ""
