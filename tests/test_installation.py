"""Each line that installs this project names its distribution, and extras that pyproject.toml declares."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from worldmodels.core.errors import DISTRIBUTION, pip_install

ROOT = Path(__file__).parents[1]
PROJECT = (ROOT / "pyproject.toml").read_text()
EXTRAS = set(re.findall(r"^(\w+) = \[", PROJECT.split("[project.optional-dependencies]")[1].split("\n[")[0], re.M))
FOLDERS = ("docs", "configs", "examples", "worldmodels", "benchmarks", "scripts", ".github")
SUFFIXES = ("", ".md", ".py", ".yaml", ".yml", ".toml", ".js", ".html")
INSTALL = re.compile(r"pip install ([^`\n#;:)]+)")
WITH_EXTRAS = re.compile(r"(?<![\w.-])(worldmodels[\w-]*|(?<=')\.)\[([a-z0-9,]+)\]")


def texts() -> dict[str, str]:
    """The text of each file that a person reads, by its path from the project's folder."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    files += ROOT.glob("*.md")
    own = [path for path in files if path.is_file() and "_build" not in path.parts]
    return {str(path.relative_to(ROOT)): path.read_text() for path in own}


def mistakes(text: str) -> list[str]:
    """What a text installs under a name that is not ours, or with extras that do not exist."""
    wrong = []
    for arguments in INSTALL.findall(text):
        names = re.findall(r"(?<![\w./'\"-])['\"]?(worldmodels[\w-]*)", arguments)
        wrong += [name for name in names if name != DISTRIBUTION]
    for name, extras in WITH_EXTRAS.findall(text):
        if name not in (".", DISTRIBUTION) or not set(extras.split(",")) <= EXTRAS:
            wrong.append(f"{name}[{extras}]")
    return wrong


def test_the_distribution_has_the_name_of_the_project() -> None:
    assert f'\nname = "{DISTRIBUTION}"' in PROJECT
    assert {"web", "atari", "dmc", "test"} <= EXTRAS
    assert pip_install("web") == "pip install 'worldmodels-lab[web]'"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("pip install 'worldmodels-lab[atari]'", []),
        ("pip install -e '.[atari,web]' s3fs", []),
        ("pip install .", []),
        ("the import is `worldmodels`, and worldmodels.envs[0] is an expression", []),
        ("pip install worldmodels", ["worldmodels"]),
        ("pip install 'worldmodels[atari]'", ["worldmodels", "worldmodels[atari]"]),
        ("each machine needs `worldmodels[ray]`", ["worldmodels[ray]"]),
        ("pip install -e '.[ataris]'", [".[ataris]"]),
    ],
)
def test_a_name_of_another_project_is_found(text: str, wrong: list[str]) -> None:
    assert mistakes(text) == wrong


def test_every_line_installs_this_project() -> None:
    found = texts()
    assert sum(len(INSTALL.findall(text)) for text in found.values()) > 15
    assert {path: wrong for path, text in found.items() if (wrong := mistakes(text))} == {}


def test_errors_take_the_line_from_one_place() -> None:
    """Only the doctor has a line of its own: the project itself is what is missing there."""
    sources = {path: text for path, text in texts().items() if path.startswith("worldmodels/") and path.endswith(".py")}
    literal = {path for path, text in sources.items() if "pip install" in text}
    assert {Path(path).name for path in literal} == {"errors.py", "doctor.py"}
    named = {extra for text in sources.values() for extra in re.findall(r"pip_install\([\"'](\w+)", text)}
    assert {"web", "ray", "storage", "minari"} <= named <= EXTRAS


def test_the_example_package_needs_this_project() -> None:
    assert f'dependencies = ["{DISTRIBUTION}"]' in (ROOT / "examples/plugin/pyproject.toml").read_text()
