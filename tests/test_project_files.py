"""The files that hosts and tools read are well-formed, and agree with the project."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import worldmodels

ROOT = Path(__file__).parents[1]
PROJECT = (ROOT / "pyproject.toml").read_text()
GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def read_yaml(path: Path | str) -> Any:
    return YAML(typ="safe").load((ROOT / path).read_text())


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    return read_yaml(".github/workflows/ci.yml")["jobs"]


def steps(jobs: dict[str, Any], key: str) -> list[str]:
    """What stands under a key in all steps of all jobs."""
    return [step[key] for job in jobs.values() for step in job["steps"] if key in step]


def test_the_workflow_calls_targets_of_the_makefile(jobs: dict[str, Any]) -> None:
    called = [re.fullmatch(r"make ([a-z-]+)", command) for command in steps(jobs, "run")]
    assert all(called), steps(jobs, "run")
    assert {call[1] for call in called if call} - TARGETS == set()
    assert {"lint", "coverage", "wheels"} <= {call[1] for call in called if call}


def test_the_workflow_pins_the_major_version_of_every_action(jobs: dict[str, Any]) -> None:
    actions = steps(jobs, "uses")
    assert actions and all(re.fullmatch(r"actions/[a-z-]+@v\d+", action) for action in actions)


def test_the_workflow_tests_every_python_that_the_package_claims(jobs: dict[str, Any]) -> None:
    claimed = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', PROJECT)
    assert jobs["test"]["strategy"]["matrix"]["python-version"] == claimed
    (several,) = (
        step["with"]["python-version"].split()
        for step in jobs["distributions"]["steps"]
        if "setup-python" in step.get("uses", "")
    )
    assert several == claimed


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_a_form_for_issues_asks_something(form: Path) -> None:
    content = read_yaml(form)
    assert content["name"] and content["description"]
    assert all(field["attributes"]["label"] for field in content["body"])


def test_there_are_forms_for_bugs_and_features() -> None:
    assert [form.stem for form in FORMS] == ["bug", "feature"]


def test_the_citation_names_the_version_and_licence_of_the_package() -> None:
    citation = read_yaml("CITATION.cff")
    assert (citation["title"], citation["version"]) == ("worldmodels", worldmodels.__version__)
    assert citation["type"] == "software"
    assert f'license = "{citation["license"]}"' in PROJECT


def test_the_entry_for_bibtex_says_the_same() -> None:
    citation, page = read_yaml("CITATION.cff"), (ROOT / "docs" / "citing.md").read_text()
    entry = dict(re.findall(r"^  (\w+) += \{+([^}]+)\}+,$", page, re.M))
    assert entry["author"] == citation["authors"][0]["name"]
    assert {name: entry[name] for name in ("title", "version", "license")} == {
        name: citation[name] for name in ("title", "version", "license")
    }


def test_containers_have_a_python_and_extras_of_the_package() -> None:
    recipe = (ROOT / "Dockerfile").read_text()
    arguments = dict(re.findall(r"^ARG (\w+)=(\S+)$", recipe, re.M))
    assert f'"Programming Language :: Python :: {arguments["PYTHON"]}"' in PROJECT
    extras = {extra for given in re.findall(r"EXTRAS=([\w,]+)", recipe) for extra in given.split(",")}
    assert extras == {"gpu", "web"} and all(f"\n{extra} = [" in PROJECT for extra in extras)
    machine = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert (ROOT / machine["postCreateCommand"].split()[0]).is_file()


def test_the_hooks_before_a_commit_are_valid_and_their_tools_installed() -> None:
    validate = [sys.executable, "-m", "pre_commit", "validate-config", str(ROOT / ".pre-commit-config.yaml")]
    assert subprocess.run(validate, check=False).returncode == 0
    (repository,) = read_yaml(".pre-commit-config.yaml")["repos"]
    tools = [hook["entry"].split()[0] for hook in repository["hooks"]]
    assert tools == [".venv/bin/ruff", ".venv/bin/ruff", ".venv/bin/mypy", ".venv/bin/clang-format"]
    test_extra = PROJECT.split("\ntest = [")[1].split("\n]")[0]
    assert all(f'"{Path(tool).name}>=' in test_extra for tool in tools)


def test_the_guide_names_files_that_exist() -> None:
    """They are named from the top, or from inside the package, the environments or the native code."""
    folders = [ROOT / folder for folder in ("", "worldmodels", "worldmodels/envs", "worldmodels/envs/native")]
    named = re.findall(r"`([\w/.]+\.(?:py|cpp|h|toml))`", GUIDE)
    assert len(named) > 20
    assert [name for name in named if not any((folder / name).is_file() for folder in folders)] == []


def test_the_guide_names_targets_of_the_makefile() -> None:
    named = set(re.findall(r"^make ([a-z-]+)", GUIDE, re.MULTILINE))
    assert "test" in named and named - TARGETS == set()
