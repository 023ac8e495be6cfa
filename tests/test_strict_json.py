"""What the package writes as JSON is JSON: Python's own NaN and Infinity are refused where they would be written."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1] / "worldmodels"

EXEMPT = {
    "core/files/checkpoint.py": "the state of what learns may hold any float, and only this package reads it",
    "core/files/tree.py": "the state of an environment may hold any float, and only this package reads it",
    "training/launch.py": "overrides of a configuration, which are YAML",
}
"""Files with one call each that may write them."""


def is_lenient(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr not in ("dump", "dumps") or getattr(node.func.value, "id", "") != "json":
        return False
    return not any(keyword.arg == "allow_nan" and ast.unparse(keyword.value) == "False" for keyword in node.keywords)


def test_no_record_can_hold_what_json_does_not_have() -> None:
    lenient = [
        str(path.relative_to(ROOT))
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if is_lenient(node)
    ]
    assert lenient == sorted(EXEMPT)
