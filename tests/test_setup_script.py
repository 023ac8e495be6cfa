"""The set-up says plainly what a machine lacks, before it installs anything."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = ("bash", "env", "dirname", "sed", "find", "sort", "xargs", "cat", "cksum", "df", "awk", "grep")


@pytest.fixture
def bare_machine(tmp_path):
    """A copy of what the set-up reads, and a PATH with standard tools but neither Python nor a compiler."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in TOOLS:
        (tools / tool).symlink_to(shutil.which(tool))
    project = tmp_path / "project"
    for name in ("scripts/setup", "pyproject.toml", "setup.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project / name)
    (project / "worldmodels/envs/native").mkdir(parents=True)
    return project, tools


def set_up(machine, **variables):
    project, tools = machine
    environment = {"PATH": str(tools), "HOME": str(project), **variables}
    done = subprocess.run([project / "scripts/setup"], env=environment, capture_output=True, text=True)
    assert not (project / ".venv").exists()
    return done


def add_python(machine, answers_version=True):
    """A python3 that passes everything on to the real one, or one that says it is too old."""
    python = machine[1] / "python3"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n' if answers_version else "#!/bin/sh\nexit 1\n")
    python.chmod(0o755)


def test_no_python(bare_machine):
    done = set_up(bare_machine)
    assert done.returncode == 1
    assert "no Python from 3.10 to 3.13" in done.stderr and "apt install python3" in done.stderr


def test_a_python_that_does_not_fit(bare_machine):
    add_python(bare_machine, answers_version=False)
    done = set_up(bare_machine, PYTHON="python3")
    assert done.returncode == 1
    assert "PYTHON=python3 is not a Python from 3.10 to 3.13" in done.stderr


def test_no_compiler(bare_machine):
    add_python(bare_machine)
    done = set_up(bare_machine)
    assert done.returncode == 1
    assert "no C++ compiler" in done.stderr and "apt install g++" in done.stderr
