"""Text reaches a terminal without what acts on it."""

from __future__ import annotations

import ast
import io
from pathlib import Path

import pytest

import worldmodels
from worldmodels.cli import main
from worldmodels.core.errors import UserError, counted, visible
from worldmodels.core.output import gigabytes, print_text
from worldmodels.telemetry.run_table import print_table

RED, TITLE = "\x1b[31m", "\x1b]0;hi\x07"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"{RED}red", "\\x1b[31mred"),
        (TITLE, "\\x1b]0;hi\\x07"),
        ("a\rb\x08\x7f", "a\\rb\\x08\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("cod.\u202efed", "cod.\\u202efed"),
        ("two\nlines\tand ü 日本 …", "two\nlines\tand ü 日本 …"),
    ],
)
def test_control_characters_are_shown(text: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert visible(text) == shown == str(UserError(text))
    print_text(text)
    assert capsys.readouterr().out == f"{shown}\n"


def test_a_cell_of_a_table_is_neither_a_command_nor_markup() -> None:
    file = io.StringIO()
    print_table("[b]runs", ["run", "return"], [[f"{RED}seed[/0]", "1.0"]], file=file)
    assert "\\x1b[31mseed[/0]" in file.getvalue() and "[b]runs" in file.getvalue() and "\x1b" not in file.getvalue()


@pytest.mark.parametrize("content", [f'left: "{RED}"'.replace("\x1b", "\\e"), '"\\e]0;hi\\a": left'])
def test_a_file_of_keys_sends_nothing_to_the_terminal(tmp_path, capsys, content) -> None:
    keys = tmp_path / "keys.yaml"
    keys.write_text(content)
    words = ["--headless", "--steps", "1", "--video", str(tmp_path / "a.mp4"), "--keys", str(keys)]
    assert main(["play", "--game", "maze", *words]) == 2
    error = capsys.readouterr().err
    assert "\\x1b" in error and "\x1b" not in error and "\x07" not in error


def test_one_function_prints() -> None:
    package = Path(worldmodels.__file__).parent
    found = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert found == ["core/output.py"]


def test_amounts_in_words() -> None:
    assert [counted(1, "episode"), counted(2000, "policy")] == ["1 episode", "2,000 policies"]
    assert [gigabytes(n) for n in (3, 4.2e7, 1.26e9, 2e12)] == ["1 MB", "42 MB", "1.3 GB", "2,000.0 GB"]
