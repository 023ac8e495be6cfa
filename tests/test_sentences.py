"""No sentence of a docstring, of a command's help or of an error has more than 35 words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "worldmodels"
MOST_WORDS = 35
TO_DO: dict[str, int] = {}
"""Long sentences that are left, by package. The numbers only shrink."""
HELP = ("help", "description", "epilog")


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of a module, also those under fields, its help and its errors, each with its line."""
    for node in ast.walk(tree):
        body: list[Any] = getattr(node, "body", [])
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if (text := ast.get_docstring(node)) is not None:
                yield body[0].lineno, text
            for before, after in pairwise(body):
                if isinstance(before, ast.AnnAssign | ast.Assign) and (text := literal(getattr(after, "value", None))):
                    yield after.lineno, text
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from ((node.lineno, text) for value in node.exc.args if (text := literal(value)))
        if isinstance(node, ast.Call):
            words = (keyword.value for keyword in node.keywords if keyword.arg in HELP)
            yield from ((node.lineno, text) for value in words if (text := literal(value)))


def literal(node: ast.AST | None) -> str:
    """Return the text of a string, with "x" for each of its values; empty for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(literal(value) or "x" for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return literal(node.left) + literal(node.right)
    return ""


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; paragraphs, items, arguments, code and tables end them, too."""
    parts = re.split(r"\n\s*\n|\n\s*[-*] |\n\s*\w[\w .*]*: *(?=\n)|\n {4,}\w+: ", re.sub(r"`[^`]*`", "x", text))
    prose = [" ".join(part.split()) for part in parts if not re.search(r"^ {4,}\S", part)]
    return [sentence for part in prose for sentence in re.split(r"(?<=[.!?])[)\"']* +", part)]


def words(sentence: str) -> int:
    return len(re.findall(r"\w[\w'.-]*", sentence))


def long_sentences(path: Path) -> list[str]:
    tree = ast.parse(path.read_text())
    place = path.relative_to(ROOT)
    return [
        f"{place}:{line}: {words(sentence)} words: {sentence}"
        for line, text in texts(tree)
        for sentence in sentences(text)
        if words(sentence) > MOST_WORDS
    ]


@pytest.mark.parametrize("package", sorted({path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py")}))
def test_no_sentence_is_long(package: str) -> None:
    below = PACKAGE / package
    found = [
        text for path in sorted(below.rglob("*.py") if below.is_dir() else [below]) for text in long_sentences(path)
    ]
    listing = "\n".join(found)
    assert len(found) <= TO_DO.get(package, 0), f"Say these in sentences of {MOST_WORDS} words or fewer:\n{listing}"


def test_sentences_are_found() -> None:
    text = "One. Two, `a b c`? three!\n\nFour\n\nArgs:\n    one: Five. Six.\n    two: Seven"
    assert sentences(text) == ["One.", "Two, x?", "three!", "Four", "Args:", "Five.", "Six.", "Seven"]
    code = (
        'class A:\n    """Doc."""\n    key: int = 1\n    """Key."""\n    def f(self):\n        raise E("a" f" {b} c")\n'
    )
    assert [text for _, text in texts(ast.parse(code))] == ["Doc.", "Key.", "a x c"]
