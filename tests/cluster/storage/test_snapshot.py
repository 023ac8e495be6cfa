"""A run's folder at one moment, while the run goes on writing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from worldmodels.cluster.storage import snapshot as module
from worldmodels.cluster.storage.snapshot import snapshot
from worldmodels.core.files.checkpoint import Checkpoints


@pytest.fixture
def run(tmp_path: Path) -> Path:
    run = tmp_path / "seed_0"
    for name in ("config.yaml", ".lock", ".half.tmp-1", "metrics.jsonl", "replay/0.frames", "replay/0.steps"):
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_text(name)
    (run / ".folder.tmp-1").mkdir()
    (run / ".folder.tmp-1" / "half").write_text("")
    (run / "link").symlink_to(run / "config.yaml")
    return run


def checkpoint(run: Path, step: int) -> None:
    Checkpoints(run / "checkpoints").write(step, {"x": np.zeros(3), "step": step})


def test_it_stays_as_it_was(run: Path, tmp_path: Path) -> None:
    checkpoint(run, 100)
    with snapshot(run) as found:
        with open(run / "metrics.jsonl", "a") as file:
            file.write("more")
        for step in (200, 300):
            checkpoint(run, step)
        (run / "replay" / "0.steps").unlink()
        assert found is not None and found.step == 100
        names = [f"checkpoints/00000100/{name}" for name in ("manifest.json", "state.json", "tensors.safetensors")]
        assert list(found.files) == [*names, "config.yaml", "metrics.jsonl", "replay/0.steps", "replay/0.frames"]
        texts = {name: file.path.read_bytes()[: file.size] for name, file in found.files.items()}
        assert all(texts[name] == name.encode() for name in list(found.files)[3:])
    assert [path.name for path in tmp_path.iterdir()] == ["seed_0"]


def test_it_is_taken_again_where_a_checkpoint_is_written_meanwhile(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, steps = module._linked, iter((200, 300))
    checkpoint(run, 100)

    def linked(run: Path, links: Path) -> dict[str, module.LocalFile]:
        found = real(run, links)
        if step := next(steps, None):
            checkpoint(run, step)
        return found

    monkeypatch.setattr(module, "_linked", linked)
    with snapshot(run) as found:
        assert found is not None and found.step == 300
        assert {name.split("/")[1] for name in found.files if name.startswith("check")} == {"00000200", "00000300"}


def test_nothing_is_taken_of_what_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a", "none"):
        with snapshot(tmp_path / name) as found:
            assert found is None
