"""Modules for many machines are loaded by name, and a missing package is one sentence."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from worldmodels.cli import main
from worldmodels.core.cluster import MODULES


@pytest.fixture
def grid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The file of a grid, where no module for many machines has been imported."""
    for name in [name for name in sys.modules if name.startswith("worldmodels.cluster.")]:
        monkeypatch.delitem(sys.modules, name)
    file = tmp_path / "small.yaml"
    file.write_text(f"config: debug\nlogdir: {tmp_path}/grid\n")
    return str(file)


@pytest.mark.parametrize("module", MODULES.values())
def test_every_module_is_there(module: str) -> None:
    assert importlib.util.find_spec(module) is not None


def test_a_missing_ray_is_told(
    grid: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    train = ["train", "--config", "debug_ppo", "training.collectors=2", "--logdir", str(tmp_path / "run")]
    for words in (["grid", grid], train):
        assert main([*words, "--engine", "ray"]) == 2
        assert capsys.readouterr().err == (
            "worldmodels: The engine 'ray' needs Ray, which is not installed: pip install 'worldmodels-lab[ray]' "
            "brings it. Every node of the cluster needs it, in the same version.\n"
        )


def test_a_missing_fsspec_is_told(
    grid: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert main(["grid", grid, "--storage", "s3://bucket/folder"]) == 2
    assert capsys.readouterr().err == (
        "worldmodels: A storage needs fsspec, which is not installed: pip install 'worldmodels-lab[storage]' brings "
        "it. Every machine that trains needs it, and the package for the storage: s3fs, gcsfs, adlfs, ...\n"
    )


def test_a_grid_on_one_machine_imports_nothing_for_many(grid: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grid", grid, "--dry-run"]) == 0
    assert not [name for name in sys.modules if name.startswith("worldmodels.cluster.")]
