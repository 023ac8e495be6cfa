"""Evaluates the checkpoints of many runs at the same time, each in a process of its own."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from worldmodels.analysis.report.html import counted
from worldmodels.analysis.runs.groups import short_paths
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import RunError, UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.output import print_text
from worldmodels.envs.games.levels import Levels
from worldmodels.evaluation.request import Request
from worldmodels.evaluation.result_files import ResultFiles
from worldmodels.experiments.engine import Engine, Used
from worldmodels.experiments.jobs import JobsOutcome, log_end, run_jobs
from worldmodels.experiments.storage import EvaluationStorage
from worldmodels.telemetry.display import number


class EvaluationJob:
    """Evaluates one checkpoint of a run by `worldmodels eval`; a `Job` of `jobs.py`.

    The results in the run's folder show what is done, so the same request again measures what is missing.

    Args:
        storage: the storage of the run, if the one here is a copy.
    """

    def __init__(self, name: str, request: Request, step: int, storage: EvaluationStorage | None = None) -> None:
        self.name, self._step, self._storage = f"{name} at step {step:,}", step, storage
        self._request = replace(request, step=step, all_checkpoints=False)
        run = RunDir.open(request.path)
        self._result = f"{step:08d}{request.suffix}"
        self.log = run.eval / f"log_{self._result}.txt"
        self._files, self._checkpoints = result_files(run, self._request), Checkpoints(run.checkpoints)
        self._done, self._trouble = self._files.metrics(step) is not None, ""

    def obstacle(self) -> str | None:
        return None

    def command(self) -> Sequence[str] | None:
        # A run that is trained meanwhile removes its older checkpoints.
        if self._done or self._step not in self._checkpoints.steps():
            return None
        if self._storage is not None:
            words = eval_words(replace(self._request, path="{run}"))
            return self._storage.command(Path(self._request.path), self._result, words)
        return [sys.executable, "-m", "worldmodels", "eval", *eval_words(self._request)]

    def ended(self, status: int, used: Used) -> int:
        if self._storage is not None and status == 0:
            try:
                self._storage.fetch(Path(self._request.path), self._result)
            except UserError as error:
                self._trouble = f"measured, but not fetched: {error} The same command measures it again."
        self._done = status == 0
        return status

    def summary(self) -> str:
        metrics = self._files.metrics(self._step)
        if metrics is None and self._trouble:
            return self._trouble
        if metrics is None:
            return "its checkpoint is gone: the run trains on, and keeps only its newest checkpoints"
        return f"return {number(metrics['eval/return'])}" if "eval/return" in metrics else "measured"


def evaluate_in_jobs(
    request: Request,
    runs: Sequence[Path],
    engine: Engine,
    storage: EvaluationStorage | None = None,
    levels: Sequence[Levels] = (),
) -> JobsOutcome:
    """Evaluate the newest checkpoint of each run, the requested one, or all, and return the outcome of the jobs.

    The results are those of `evaluate_run`, in the folders of the runs; a checkpoint with a result is not evaluated
    again. A job whose machine is lost runs again in another place. Call it from the main thread, which gets the
    signals.

    Args:
        storage: the storage of the runs, if those here are copies.
        levels: replace the levels of the request; each has jobs of its own.

    Raises:
        UserError: a run, a setting or the engine cannot be used, or there is no checkpoint; nothing has begun.
    """
    requests = {
        f"{name}, {chosen} levels" if len(levels) > 1 else name: replace(request, path=run, levels=chosen)
        for name, run in zip(short_paths(runs), runs, strict=True)
        for chosen in levels or [request.levels]
    }
    jobs = [job for name, own in requests.items() for job in _jobs(name, own, storage)]
    if not jobs:
        raise RunError(f"There is nothing to evaluate: {counted(len(runs), 'run')}, and no checkpoint yet.")
    waiting = [job for job in jobs if job.command() is not None]
    found = f"{counted(len(jobs), 'checkpoint')} of {counted(len(runs), 'run')}"
    print_text(f"{found}, {len(jobs) - len(waiting)} evaluated before")
    outcome = JobsOutcome([], [], [])
    if waiting:
        with engine:
            engine.check_folder(Path(os.path.commonpath([os.path.abspath(run) for run in runs])))
            outcome = run_jobs(waiting, engine, math.inf, print_text)
    for job in waiting:
        if job.name in outcome.failed:
            print_text(f"\n{job.name} failed; the end of {job.log}:\n{log_end(job.log)}")
    if request.all_checkpoints and not outcome.left:
        _gather(list(requests.values()))
    return outcome


def eval_words(request: Request) -> list[str]:
    """Return the words after `worldmodels eval` for one evaluation."""
    words = [str(request.path), "--mode", request.mode, "--levels", request.levels, "--agent", request.agent]
    words += ["--planner", *request.planner] if request.agent == "planner" else []
    words += ["--videos", str(request.videos), "--seed", str(request.seed)]
    words += [] if request.step is None else ["--checkpoint", str(request.step)]
    for name, value in request.settings.items():
        values = value if isinstance(value, list | tuple) else [value]
        words += [f"--{name.replace('_', '-')}", *map(str, values)]
    return words


def result_files(run: RunDir, request: Request) -> ResultFiles:
    """Return the files of a request in a run's folder; raise ConfigError if a setting cannot be used."""
    config = load_config(RunConfig, [run.config])
    return ResultFiles(run, request, request.resolved(config.evaluation), config.env)


def _jobs(name: str, request: Request, storage: EvaluationStorage | None) -> Iterator[EvaluationJob]:
    steps = Checkpoints(RunDir.open(request.path).checkpoints).steps()
    if request.step is not None and request.step not in steps:
        there = ", ".join(f"{step:,}" for step in steps) or "none"
        raise RunError(f"{name} has no checkpoint of step {request.step:,}. Checkpoints: {there}.")
    chosen = steps if request.all_checkpoints else steps[-1:] if request.step is None else [request.step]
    yield from (EvaluationJob(name, request, step, storage) for step in chosen)


def _gather(requests: Sequence[Request]) -> None:
    """Write the table of all checkpoints of each run, as `evaluate_run` does, from their results."""
    from worldmodels.loading.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.evaluation.run import write_checkpoints

    for request in requests:
        run = RunDir.open(request.path)
        files, steps = result_files(run, request), Checkpoints(run.checkpoints).steps()
        metrics = {step: found for step in steps if (found := files.metrics(step)) is not None}
        if metrics:
            print_text(f"\n{run.path}")
            write_checkpoints(metrics, files, f"checkpoints{request.suffix}")
