"""Jobs of shell commands, each gone through in a fraction of a second."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from worldmodels.experiments.engine import LOST, LocalCommand, LocalEngine, Used, core_shares
from worldmodels.experiments.jobs import log_end, run_jobs

CORE = core_shares()[0]


class ShellJob:
    """Goes through shell scripts; what was done stays done in another job of the same name."""

    def __init__(self, folder: Path, name: str, *scripts: str) -> None:
        self.name, self.log = name, folder / "logs" / f"{name}.log"
        self._scripts, self._done = scripts, folder / f"{name}.done"
        self.ends: list[tuple[int, Used]] = []

    def done(self) -> int:
        return int(self._done.read_text()) if self._done.exists() else 0

    def obstacle(self) -> str | None:
        return None

    def command(self) -> Sequence[str] | None:
        left = self._scripts[self.done() :]
        return ["sh", "-c", left[0]] if left else None

    def ended(self, status: int, used: Used) -> int:
        self.ends.append((status, used))
        if status == 0:
            self._done.write_text(str(self.done() + 1))
        return status

    def summary(self) -> str:
        return f"{self.done()} scripts"


def test_each_job_runs_its_commands_in_order(tmp_path: Path) -> None:
    told: list[str] = []
    jobs = [ShellJob(tmp_path, name, "echo first", "echo second") for name in ("a", "b", "c")]
    assert run_jobs(jobs, LocalEngine([CORE, CORE]), 60, told.append) == (["a", "b", "c"], [], [])
    assert [job.log.read_text() for job in jobs] == ["first\nsecond\n"] * 3
    assert told[:2] == [f"a: started on core {CORE[0]}; 2 wait", f"b: started on core {CORE[0]}; 1 wait"]
    assert [text.split("; ")[1:] for text in told if text.startswith("c")][-1] == ["2 scripts", "none left"]


def test_what_a_command_takes_is_measured(tmp_path: Path) -> None:
    busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
    job = ShellJob(tmp_path, "a", "sleep 0.3", busy)
    run_jobs([job], LocalEngine([CORE]), 60, lambda text: None)
    (_, asleep), (_, at_work) = job.ends
    assert asleep.wall_seconds >= 0.3
    # Starting a process takes some of the processor's time, too, so the two are compared.
    assert 0 < asleep.processor_seconds < at_work.processor_seconds <= at_work.wall_seconds + 0.1


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no affinity here")
def test_a_job_stays_on_its_core(tmp_path: Path) -> None:
    job = ShellJob(tmp_path, "a", "grep Cpus_allowed_list /proc/self/status")
    run_jobs([job], LocalEngine([CORE]), 60, lambda text: None)
    assert job.log.read_text().split() == ["Cpus_allowed_list:", str(CORE[0])]


def test_a_job_that_fails_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    told: list[str] = []
    jobs = [
        ShellJob(tmp_path, "bad", "echo what went wrong >&2; exit 3", "echo never"),
        ShellJob(tmp_path, "b", "true"),
    ]
    assert run_jobs(jobs, LocalEngine([CORE]), 60, told.append) == (["b"], ["bad"], [])
    (failure,) = (text for text in told if "FAILED" in text)
    assert failure == f"bad: FAILED with status 3, see {jobs[0].log}"
    assert log_end(jobs[0].log) == "    what went wrong"
    assert "never" not in jobs[0].log.read_text()


SAVING = "trap 'echo saved; exit 130' TERM; echo begun; while true; do sleep 0.05; done"


def test_the_end_of_the_budget_stops_all_and_the_next_call_goes_on(tmp_path: Path) -> None:
    jobs = [ShellJob(tmp_path, name, "true", SAVING) for name in ("a", "b", "c")]
    finished, failed, left = run_jobs(jobs, LocalEngine([CORE, CORE]), 3, lambda text: None)
    assert (finished, failed, sorted(left)) == ([], [], ["a", "b", "c"])
    assert jobs[0].log.read_text() == "begun\nsaved\n"
    assert [status for status, _ in jobs[1].ends] == [0, 130]
    assert not jobs[2].ends
    again = [ShellJob(tmp_path, name, "echo never", "echo the rest") for name in ("a", "b")]
    assert run_jobs(again, LocalEngine([CORE]), 60, lambda text: None) == (["a", "b"], [], [])
    assert again[0].log.read_text() == "begun\nsaved\nthe rest\n"


def test_no_time_starts_nothing(tmp_path: Path) -> None:
    job = ShellJob(tmp_path, "a", "true")
    assert run_jobs([job], LocalEngine([CORE]), 0, lambda text: None).left == ["a"]
    assert not job.log.exists()


def signals_once_begun(jobs: Sequence[ShellJob], *numbers: signal.Signals) -> None:
    """Send signals to this process, half a second apart, as soon as all jobs have printed something."""

    def send() -> None:
        while not all(job.log.exists() and job.log.stat().st_size for job in jobs):
            time.sleep(0.05)
        for number in numbers:
            os.kill(os.getpid(), number)
            time.sleep(0.5)

    threading.Thread(target=send, daemon=True).start()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_lets_every_job_save(tmp_path: Path, number: signal.Signals) -> None:
    jobs = [ShellJob(tmp_path, name, SAVING) for name in ("a", "b")]
    signals_once_begun(jobs, number)
    assert sorted(run_jobs(jobs, LocalEngine([CORE, CORE]), 60, lambda text: None).left) == ["a", "b"]
    assert [job.log.read_text() for job in jobs] == ["begun\nsaved\n"] * 2


def test_a_second_interruption_kills(tmp_path: Path) -> None:
    job = ShellJob(tmp_path, "deaf", "trap '' TERM; echo $$; while true; do sleep 0.05; done")
    signals_once_begun([job], signal.SIGINT)

    def tell(text: str) -> None:
        if text.startswith("Stopping"):  # the first was heard: two at once may arrive as one
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run_jobs([job], LocalEngine([CORE]), 60, tell)
    with pytest.raises(ProcessLookupError):
        os.kill(int(job.log.read_text()), 0)


def test_what_somebody_else_stops_is_left_and_the_others_go_on(tmp_path: Path) -> None:
    jobs = [ShellJob(tmp_path, "a", "kill -TERM $$"), ShellJob(tmp_path, "b", "true")]
    assert run_jobs(jobs, LocalEngine([CORE]), 60, lambda text: None) == (["b"], [], ["a"])


def test_what_is_done_when_it_is_stopped_is_finished(tmp_path: Path) -> None:
    done = f"trap 'echo 1 > {tmp_path / 'a.done'}; exit 130' TERM; echo begun; while true; do sleep 0.05; done"
    job = ShellJob(tmp_path, "a", done)
    signals_once_begun([job], signal.SIGTERM)
    assert run_jobs([job], LocalEngine([CORE]), 60, lambda text: None) == (["a"], [], [])


SCHEDULER = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from test_jobs import CORE, SAVING, LocalEngine, ShellJob, run_jobs
run_jobs([ShellJob(Path({folder!r}), "a", SAVING)], LocalEngine([CORE]), 60)
"""


def test_a_scheduler_that_is_killed_lets_every_job_save(tmp_path: Path) -> None:
    program = SCHEDULER.format(path=[str(Path(__file__).parent), *sys.path], folder=str(tmp_path))
    scheduler = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.DEVNULL)
    log = tmp_path / "logs" / "a.log"
    wait_for(lambda: log.exists() and log.read_text() == "begun\n")
    scheduler.kill()
    scheduler.wait()
    wait_for(lambda: log.read_text() == "begun\nsaved\n")


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within a minute")


def test_a_log_is_shown_from_its_end(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    assert log_end(log) == "    There is no log."
    log.write_text("".join(f"line {i}\n" for i in range(20)))
    assert log_end(log).splitlines() == [f"    line {i}" for i in range(5, 20)]


class LossyEngine(LocalEngine):
    """Loses what it runs, as if a node of a cluster died, by the number of starts."""

    def __init__(self, *lost: int) -> None:
        super().__init__([CORE])
        self.lost, self.starts = lost, 0

    def start(self, command: Sequence[str], log: Path) -> LocalCommand:
        self.starts += 1
        if self.starts not in self.lost:
            return super().start(command, log)
        return LostCommand(["false"], log, self._free.pop(0), self._free)


class LostCommand(LocalCommand):
    def poll(self) -> tuple[int, Used] | None:
        return (LOST, ended[1]) if (ended := super().poll()) else None


def test_a_job_that_loses_its_machine_goes_on_before_all_others(tmp_path: Path) -> None:
    told: list[str] = []
    jobs = [ShellJob(tmp_path, name, "echo first", "echo second") for name in ("a", "b")]
    engine = LossyEngine(2, 3)
    assert run_jobs(jobs, engine, 60, told.append) == (["a", "b"], [], [])
    assert [job.log.read_text() for job in jobs] == ["first\nsecond\n"] * 2
    assert [status for status, _ in jobs[0].ends] == [0, LOST, LOST, 0]
    lost = f"a: the machine was lost, core {CORE[0]}; it goes on in another place"
    assert [text for text in told if "lost" in text] == [lost, lost]
    assert engine.starts == 6


def test_a_job_that_takes_its_machines_down_has_failed(tmp_path: Path) -> None:
    jobs = [ShellJob(tmp_path, name, "true") for name in ("bad", "b")]
    assert run_jobs(jobs, LossyEngine(*range(1, 12)), 60, lambda text: None) == (["b"], ["bad"], [])
    assert [status for status, _ in jobs[0].ends] == [LOST] * 10 + [-signal.SIGKILL]


def test_what_is_lost_while_all_is_stopped_is_left(tmp_path: Path) -> None:
    job = ShellJob(tmp_path, "a", "true")

    class Dying(LossyEngine):
        def start(self, command: Sequence[str], log: Path) -> LocalCommand:
            found = super().start(["sh", "-c", "sleep 60"], log)
            os.kill(os.getpid(), signal.SIGTERM)
            return found

    assert run_jobs([job], Dying(1), 60, lambda text: None) == ([], [], ["a"])
    assert [status for status, _ in job.ends] == [-signal.SIGTERM]


def test_a_job_is_begun_once_nothing_is_in_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    jobs = [ShellJob(tmp_path, name, "true") for name in ("a", "b")]
    monkeypatch.setattr(jobs[0], "obstacle", lambda: None if jobs[1].done() else "b is not done")
    assert run_jobs(jobs, LocalEngine([CORE, CORE]), 60, told.append) == (["b", "a"], [], [])
    assert told[:2] == ["a: b is not done; waiting for its end", f"b: started on core {CORE[0]}; 1 wait"]


def test_an_engine_that_grows_gets_more_jobs_and_one_that_is_empty_none(tmp_path: Path) -> None:
    class Growing(LocalEngine):
        looks = 0

        def places(self) -> int:
            self.looks += 1
            return min(2, self.looks // 5)

    scripts = f"touch {tmp_path}/$$; while [ $(ls -d {tmp_path}/[0-9]* | wc -l) -lt 2 ]; do sleep 0.05; done"
    jobs = [ShellJob(tmp_path, name, scripts) for name in ("a", "b")]
    assert sorted(run_jobs(jobs, Growing([CORE, CORE]), 60, lambda text: None).finished) == ["a", "b"]
