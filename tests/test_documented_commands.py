"""Each command in the README and the pages of documentation is one that the command line knows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from worldmodels.cli import parser
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.presets import preset_names
from worldmodels.core.configuration.sections import load_config

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "docs/start", "docs/tutorials", "docs/algorithms", "docs/reference")
PAGES = [ROOT / "README.md", *(page for folder in FOLDERS for page in (ROOT / folder).glob("*.md"))]
BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.M | re.S)


def commands(text: str) -> list[str]:
    """Return the commands in a page's blocks of code, fenced or indented, without remarks."""
    code = "\n".join(BLOCK.findall(text)) + "\n" + "\n".join(re.findall(r"^ {4}(.*)$", BLOCK.sub("", text), re.M))
    lines = [re.split(r"\s+#", line)[0] for line in code.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.startswith("worldmodels ") and "|" not in line]


COMMANDS = sorted({command for page in PAGES for command in commands(page.read_text())})


def test_the_pages_have_commands() -> None:
    assert commands(
        "```\nworldmodels play RUN   # a run\n\nworldmodels list a|b\npip install .\n```\nworldmodels eval\n"
    ) == ["worldmodels play RUN"]
    assert len(COMMANDS) > 60


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_known(command: str) -> None:
    words = shlex.split(command.replace("STEP", "1"))
    options = parser().parse_args(words[1:])  # ends the program if it knows no such command or option
    assert callable(options.run)
    if command.startswith("worldmodels train --config"):
        names = [name for name in options.config if "=" not in name]
        overrides = [name for name in options.config if "=" in name] + options.overrides
        if set(names) <= set(preset_names()):
            assert isinstance(load_config(RunConfig, names, overrides), RunConfig)
