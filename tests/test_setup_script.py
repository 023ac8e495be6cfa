"""The set-up says what a machine lacks before it installs anything, and installs only when something changed."""

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
    for name in ("scripts/setup", "pyproject.toml", "setup.py", "worldmodels/__init__.py", "configs/debug.yaml"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project / name)
    (project / "worldmodels/envs/native").mkdir(parents=True)
    return project, tools


def set_up(machine, **variables):
    project, tools = machine
    environment = {"PATH": str(tools), "HOME": str(project), **variables}
    return subprocess.run([project / "scripts/setup"], env=environment, capture_output=True, text=True)


def add_python(machine, answers_version=True):
    """A python3 that passes everything on to the real one, or one that says it is too old."""
    add_program(machine[1] / "python3", f'exec "{sys.executable}" "$@"' if answers_version else "exit 1")


def add_program(path, what_it_does):
    path.write_text(f"#!/bin/sh\n{what_it_does}\n")
    path.chmod(0o755)


def test_no_python(bare_machine):
    done = set_up(bare_machine)
    assert done.returncode == 1
    assert "no Python from 3.10 to 3.13" in done.stderr and "apt install python3" in done.stderr
    assert not (bare_machine[0] / ".venv").exists()


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
    assert not (bare_machine[0] / ".venv").exists()


@pytest.fixture
def installed(bare_machine):
    """A machine where the set-up has run, with an environment whose Python says yes to everything."""
    project, tools = bare_machine
    add_python(bare_machine)
    add_program(tools / "c++", "exit 0")
    (project / ".venv/bin").mkdir(parents=True)
    add_program(project / ".venv/bin/python", "exit 0")
    assert "Installing" in set_up(bare_machine).stdout
    return bare_machine


def test_nothing_is_installed_twice(installed):
    assert set_up(installed).stdout == ""


@pytest.mark.parametrize(
    ("changed", "installs"),
    [
        ("setup.py", True),
        ("pyproject.toml", True),
        ("worldmodels/__init__.py", True),  # the version
        ("worldmodels/envs/native/new.cpp", True),
        ("configs/debug.yaml", False),  # read where it stands, as all Python is
    ],
)
def test_what_an_installation_is_made_of(installed, changed, installs):
    with (installed[0] / changed).open("a") as file:
        file.write("\n")
    assert ("Installing" in set_up(installed).stdout) == installs
