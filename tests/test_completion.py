"""Shells complete commands, options, presets, games and folders with the printed scripts."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from worldmodels.cli import main

BASH = """
source completion.bash
COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_shtab_worldmodels
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
needs_zsh = pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The working directory, with a folder of runs and the scripts of both shells."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "maze").mkdir(parents=True)
    for shell in ("bash", "zsh"):
        assert main(["completion", shell]) == 0
        (tmp_path / f"completion.{shell}").write_text(capsys.readouterr().out)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["tra"], ["train"]),
        (["list", "mod"], ["models"]),
        (["prune", "--ch"], ["--checkpoints"]),
        (["train", "--config", "dreamer_s"], ["dreamer_small"]),
        (["train", "--config", "dreamer", "atari_simple_"], ["atari_simple_small"]),
        (["play", "--game", "star"], ["starpilot"]),
        (["eval", "ru"], ["runs"]),
        (["eval", "runs/"], ["runs/maze"]),
    ],
)
def test_bash_completes(words: list[str], found: list[str], folder: Path) -> None:
    script = BASH.format(words=shlex.join(["worldmodels", *words]))
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=folder, timeout=60)
    assert done.stdout.split() == found


def test_bash_offers_every_command(folder: Path) -> None:
    script = BASH.format(words="worldmodels ''")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=folder, timeout=60)
    assert {"train", "eval", "play", "completion"} <= set(done.stdout.split())


@needs_zsh
def test_zsh_finds_its_script(folder: Path) -> None:
    (folder / "_worldmodels").write_text((folder / "completion.zsh").read_text())
    code = (
        "fpath=($PWD $fpath); autoload -U compinit && compinit -u -D; zsh -n _worldmodels && echo $_comps[worldmodels]"
    )
    done = subprocess.run(["zsh", "-f", "-c", code], capture_output=True, text=True, cwd=folder, timeout=60)
    assert (done.stdout, done.stderr) == ("_worldmodels\n", "")
