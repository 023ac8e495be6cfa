"""A run of a storage is trained here, with a script in place of training."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("fsspec")
from failing_storage import FailingStorage, failing  # noqa: E402

from worldmodels.cluster.storage import stored_command as module  # noqa: E402
from worldmodels.cluster.storage.remote import Remote  # noqa: E402
from worldmodels.cluster.storage.snapshot import snapshot  # noqa: E402
from worldmodels.cluster.storage.stored_command import Scratch, main, train  # noqa: E402
from worldmodels.cluster.storage.stored_folder import CONFIG, FolderWriter, StoredFolder  # noqa: E402
from worldmodels.core.errors import StorageError  # noqa: E402
from worldmodels.core.files.writing import locked  # noqa: E402

__all__ = ["failing"]
PLACE = "lr/seed_0"
SAVE = 'save() { mkdir -p $run/checkpoints/.tmp-x; echo "$1" | tee -a $run/metrics.jsonl > $run/checkpoints/.tmp-x/'
SAVE += "manifest.json; mv $run/checkpoints/.tmp-x $run/checkpoints/$1; }; echo c > $run/config.yaml; "


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(module, "AGAIN_SECONDS", 0.1)
    monkeypatch.setattr("worldmodels.cluster.storage.remote.PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(module, "Remote", lambda url: Remote(url, patience=0.0))
    (tmp_path / "storage").mkdir()
    return f"file://{tmp_path}/storage"


@pytest.fixture
def script(url: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], int]:
    """Train with a shell script in place of `worldmodels train`; `$run` is the run's folder."""

    def run(place: str, text: str) -> int:
        remote = Remote(place, patience=0)
        remote.check()
        remote.write(f"{PLACE}/{CONFIG}", b"asked for")

        def command(words: list[str]) -> list[str]:
            return ["sh", "-c", f"run={words[1]}; config={words[0]}; {SAVE}{text}"]

        monkeypatch.setattr(module, "worldmodels_command", command)
        return train(place, PLACE, ["{config}", "{run}"])

    return run


def stored(url: str) -> StoredFolder:
    return StoredFolder(Remote(url, patience=0), PLACE)


def checkpoints(url: str) -> list[str]:
    manifest = stored(url).newest()
    return sorted(name.split("/")[1] for name in manifest.files if "manifest" in name) if manifest else []


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within 20 seconds")


def waiting(path: Path) -> str:
    """Return a script that waits until there is a file, for half a minute at most."""
    return f"i=0; while [ ! -e {path} ] && [ $i -lt 1500 ]; do sleep 0.02; i=$((i+1)); done"


def test_a_run_is_stored_with_each_checkpoint_and_goes_on_elsewhere(
    url: str, script: Callable[[str, str], int], tmp_path: Path
) -> None:
    seen: list[list[str]] = []

    def look() -> None:
        wait_for(lambda: checkpoints(url) == ["00000100"])
        seen.append(checkpoints(url))
        (tmp_path / "go").touch()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    wait = waiting(tmp_path / "go")
    assert script(url, f"save 00000100; {wait}; save 00000200; exit 3") == 3
    thread.join()
    assert seen == [["00000100"]] and checkpoints(url) == ["00000100", "00000200"]
    (base,) = tmp_path.glob("worldmodels-storage-*/*")
    assert [path.name for path in base.iterdir()] == [".lock"]  # everything is stored
    # Elsewhere, where there is nothing yet, the run is as it was.
    assert script(url, "cat $run/metrics.jsonl $config > $run/eval.txt; save 00000300") == 0
    manifest = stored(url).fetch(tmp_path / "copy")
    assert manifest is not None and manifest.key.attempt == 2
    assert (tmp_path / "copy" / "eval.txt").read_text() == "00000100\n00000200\nasked for"
    assert checkpoints(url) == ["00000100", "00000200", "00000300"]


@pytest.mark.parametrize("stored_before", [True, False])
def test_what_is_new_here_is_gone_on_with(
    url: str, script: Callable[[str, str], int], tmp_path: Path, stored_before: bool
) -> None:
    """The storage vanishes, and what could not be stored stays until it is back."""
    storage, away = tmp_path / "storage", tmp_path / "away"
    with pytest.raises(StorageError) as caught:
        lost = f"mv {storage} {away}"
        script(url, f"save 00000100; sleep 0.5; {lost}; save 00000200" if stored_before else f"{lost}; save 00000200")
    assert "The storage 'file://" in str(caught.value) and "there is no '" in str(caught.value)
    assert f"The run stays in '{tmp_path}/worldmodels-storage-" in str(caught.value)
    assert not storage.exists()
    away.rename(storage)
    assert script(url, "cp $run/metrics.jsonl $run/eval.txt") == 0
    stored(url).fetch(tmp_path / "copy")
    assert (tmp_path / "copy" / "eval.txt").read_text() == ("00000100\n" if stored_before else "") + "00000200\n"


def test_what_is_older_here_than_in_the_storage_is_fetched_anew(
    url: str, script: Callable[[str, str], int], tmp_path: Path
) -> None:
    storage, away = tmp_path / "storage", tmp_path / "away"
    with pytest.raises(StorageError):
        script(url, f"save 00000100; mv {storage} {away}")
    away.rename(storage)
    other = tmp_path / "other"  # another machine goes on meanwhile
    (other / "checkpoints" / "00000150").mkdir(parents=True)
    for name in ("config.yaml", "checkpoints/00000150/manifest.json"):
        (other / name).write_text("theirs")
    with snapshot(other) as found:
        assert found is not None
        FolderWriter(stored(url)).upload(found.files)
    assert script(url, "true") == 0
    assert checkpoints(url) == ["00000150"]


def test_training_goes_on_while_the_storage_fails(
    failing: FailingStorage, script: Callable[[str, str], int], url: str, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    place = "failing://bucket/x"

    def fail() -> None:
        wait_for(lambda: checkpoints(place) == ["00000100"])
        failing.errors += [OSError(errno.ENOSPC, "No space left on device")] * 10**6
        (tmp_path / "go").touch()
        wait_for(heard)
        failing.errors.clear()
        wait_for(lambda: checkpoints(place) == ["00000100", "00000200"])
        (tmp_path / "end").touch()

    told: list[str] = []

    def heard() -> bool:
        told.append(capfd.readouterr().out)
        return "Training goes on" in told[-1]

    thread = threading.Thread(target=fail, daemon=True)
    thread.start()
    text = f"save 00000100; {waiting(tmp_path / 'go')}; save 00000200; {waiting(tmp_path / 'end')}"
    assert script(place, text) == 0
    thread.join()
    expected = "worldmodels: The storage 'failing://bucket/x' cannot be listed: [Errno 28] No space left on device."
    assert "".join(told).startswith(f"{expected} Training goes on, and it is tried again.\n")


def test_an_attempt_that_is_superseded_stops_and_stores_nothing(
    url: str, script: Callable[[str, str], int], tmp_path: Path
) -> None:
    def supersede() -> None:
        wait_for(lambda: checkpoints(url) == ["00000100"])
        FolderWriter(stored(url))
        (tmp_path / "go").touch()

    thread = threading.Thread(target=supersede, daemon=True)
    thread.start()
    with pytest.raises(StorageError, match="Another attempt writes"):
        script(url, f"save 00000100; {waiting(tmp_path / 'go')}; save 00000200; exec sleep 60")
    thread.join()
    assert checkpoints(url) == ["00000100"]


def test_records_are_stored_between_checkpoints(
    url: str, script: Callable[[str, str], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RECORDS_SECONDS", 0.1)

    def look() -> None:
        wait_for(lambda: (found := stored(url).newest()) is not None and found.files["metrics.jsonl"].bytes == 14)
        (tmp_path / "go").touch()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    wait = waiting(tmp_path / "go")
    assert script(url, f"save 00000100; sleep 0.3; echo more >> $run/metrics.jsonl; {wait}") == 0
    thread.join()
    assert checkpoints(url) == ["00000100"]


def test_a_run_that_fails_before_its_first_checkpoint_stores_nothing(
    url: str, script: Callable[[str, str], int]
) -> None:
    assert script(url, "rm -r $run; exit 2") == 2
    assert stored(url).newest() is None


def test_an_attempt_that_still_saves_is_waited_for(url: str, script: Callable[[str, str], int], tmp_path: Path) -> None:
    scratch, held = Scratch(url, PLACE, "seed_0"), threading.Event()

    def save() -> None:
        with scratch.lock(), locked(scratch.run, "training in"):
            held.set()
            time.sleep(0.3)
            (tmp_path / "saved").touch()

    thread = threading.Thread(target=save, daemon=True)
    thread.start()
    held.wait()
    assert script(url, f"test -e {tmp_path}/saved") == 0
    thread.join()


PROGRAM = """
import sys
import tempfile
from worldmodels.cluster.attended import end_as
from worldmodels.cluster.storage import stored_command
stored_command.worldmodels_command = lambda words: ["sh", "-c", "run=" + words[0] + "; " + sys.argv[2]]
end_as(stored_command.main([sys.argv[1], "lr/seed_0", "{run}"]))
"""


@pytest.mark.parametrize(("end", "status"), [("exit 130", 130), ("kill -KILL $$", -signal.SIGKILL)])
def test_what_is_asked_to_stop_saves_and_stores(url: str, tmp_path: Path, end: str, status: int) -> None:
    remote = Remote(url)
    remote.check()
    remote.write(f"{PLACE}/{CONFIG}", b"asked for")
    text = f"{SAVE} save 00000100; trap 'save 00000200; {end}' TERM; while true; do sleep 0.05; done"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, url, text], env=environment)
    wait_for(lambda: checkpoints(url) == ["00000100"])
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == status
    assert checkpoints(url) == ["00000100", "00000200"]


def test_a_storage_without_the_run_is_told(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    Remote(url).check()
    assert main([url, PLACE, "train"]) == 2
    assert "has no configuration 'lr/seed_0/config.yaml' any more" in capsys.readouterr().out
    assert main(["--results", "evaluations/a", url, PLACE, "eval"]) == 2
    assert "has no run 'lr/seed_0'" in capsys.readouterr().out
