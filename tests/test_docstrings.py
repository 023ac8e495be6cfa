"""Docstrings are whole English sentences, which begin with a capital or a name and end with a full stop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "worldmodels"

# Words with which a fragment begins: "Of the model.", "What came before.", "As many as fit.", "For people."
FRAGMENTS = {
    *("Of", "What", "Which", "Where", "When", "Who", "Whose", "How", "As", "For", "From", "To", "In", "On", "At", "By"),
    *("With", "Without", "Those", "Likewise", "So", "Also", "Now", "Nothing", "Not", "None"),
}


def docstrings() -> Iterator[tuple[str, str]]:
    """(place, docstring) of every module, class, function and documented attribute of the package."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            body = getattr(node, "body", None)
            for statement in body if isinstance(body, list) else ():
                value = getattr(statement, "value", None)
                if isinstance(statement, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield f"{path.relative_to(ROOT.parent)}:{statement.lineno}", value.value


def fault(text: str) -> str:
    """What is wrong with a docstring, or nothing."""
    first = text.strip().split("\n\n")[0]
    if not first:
        return "it is empty"
    word = first.split()[0].strip('.,:;"`')
    if word in FRAGMENTS:
        return f"a fragment begins with '{word}'"
    if first[0].islower() and not first[0].isdigit() and word.isalpha() and word not in TYPES:
        return "it begins with a small letter"
    return "" if first.rstrip().endswith((".", ":", "!", "?")) else "its first paragraph does not end with a full stop"


TYPES = {"bool", "uint8", "int32", "int64", "float32", "float64"}
"""An attribute may begin with its type: `float32 (N,), 0 where ...`."""


def test_docstrings_are_whole_sentences() -> None:
    faults = [f"{place}: {why}: {text.strip().splitlines()[0]}" for place, text in docstrings() if (why := fault(text))]
    assert not faults, "\n" + "\n".join(faults)


def test_fragments_are_recognised() -> None:
    assert fault("Of who plays.") and fault("what it was.") and fault("Return the step") and fault("")
    assert not fault("Return the step.") and not fault("float32 (N,), the reward.")
    assert not fault("The step comes first.\n\nOf the rest nothing is asked")
