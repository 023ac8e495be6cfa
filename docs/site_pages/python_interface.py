"""Writes the page of the Python interface, from signatures and docstrings in the sources, none of which is imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from site_pages.markdown import prose

PACKAGE = Path(__file__).parents[2] / "worldmodels"
INTRODUCTION = """# Python

Everything here is imported from the module in front of its name, and from `worldmodels` alone for the first section.
`import worldmodels` loads no TensorFlow. [Training](../training.md#from-python) and
[evaluation](../evaluation.md) have examples, [contributing](../development/contributing.md) says how a kind of model,
agent or measure is added.
"""
SECTIONS = {
    "Runs": {"worldmodels": ["train", "load", "evaluate", "play", "dream", "make"]},
    "Callbacks": {"worldmodels.training.callbacks": ["Event", "Callback"]},
    "Loaded runs": {"worldmodels.loading.load": ["LoadedRun", "Policy"], "worldmodels.acting.build": ["Parts"]},
    "Environments": {
        "worldmodels.envs": [
            "make",
            "make_vec",
            "VectorEnv",
            "GameEnv",
            "GameVectorEnv",
            "can_save",
            "tells_variables",
        ],
        "worldmodels.imagination.vector_env": ["ImaginedVectorEnv"],
    },
    "Grids": {"worldmodels.experiments": ["run_grid"]},
    "World models of your own": {
        "worldmodels.models": ["register_model"],
        "worldmodels.models.api": ["ModelSpec", "Representation", "WorldModel", "SampledModel", "LatentModel"],
    },
    "Agents of your own": {
        "worldmodels.agents": ["register_agent"],
        "worldmodels.agents.api": ["Agent", "Rollouts", "Transitions", "Replayed", "Recent", "Experience"],
    },
    "Measures of your own": {"worldmodels.evaluation.measure": ["Measure", "Occasion", "Extras"]},
}
"""Public names by the module from which each is imported, by section."""
TITLES = {"Args": "Arguments"}
_PARTS = re.compile(r"^(Args|Attributes|Returns|Yields|Raises):\n((?:    .*\n|\n)*)", re.M)
_ITEM = re.compile(r"^    (\S[^:\n]*):[ \n]((?:.*\n)(?:      +.*\n|\n)*)", re.M)
Definition: TypeAlias = "ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign"
"""A definition that has a name and a docstring."""


def pages() -> dict[str, str]:
    """Return the text of the page by its place in the site."""
    lines = [INTRODUCTION]
    for title, modules in SECTIONS.items():
        lines.append(f"## {title}\n")
        for module, names in modules.items():
            lines += [line for name in names for line in entry(f"{module}.{name}", *definition(module, name))]
    return {"reference/python.md": "\n".join(lines)}


def source_of(module: str) -> ast.Module:
    """Return the syntax of a module of the package."""
    path = PACKAGE.parent / module.replace(".", "/")
    return ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8"))


def definition(module: str, name: str) -> tuple[Definition, str]:
    """Return the definition of a name and its docstring, from the module that defines it."""
    tree = source_of(module)
    if name in (found := definitions(tree)):
        return found[name]
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    home = next(node.module for node in imports if name in [alias.name for alias in node.names])
    return definition(home or "", name)


def definitions(tree: ast.Module | ast.ClassDef) -> dict[str, tuple[Definition, str]]:
    """Return the definitions of a module or class by name, each with its docstring; of two, the first."""
    found: dict[str, tuple[Definition, str]] = {}
    for node, after in pairwise([*tree.body, ast.Pass()]):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, (node, ast.get_docstring(node) or ""))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            found.setdefault(ast.unparse(target), (node, text_below(after)))
    return found


def text_below(node: ast.AST) -> str:
    """Return the text of a string that stands alone, the docstring of what is above it; else nothing."""
    value = node.value if isinstance(node, ast.Expr) else None
    text = value.value if isinstance(value, ast.Constant) else None
    return " ".join(text.split()) if isinstance(text, str) else ""


def entry(name: str, node: Definition, text: str, fence: int = 5) -> Iterator[str]:
    """Yield the lines of one definition; those of a class with its public members.

    Args:
        fence: backticks around it, fewer for what stands inside.
    """
    marks = "`" * fence
    yield f"{marks}{{py:{directive(node, fence)}}} {name}{signature(node)}"
    yield from details(node)
    yield ""
    yield described(text)
    if isinstance(node, ast.ClassDef):
        for member, (inner, about) in definitions(node).items():
            if not member.startswith("_") and about:
                yield from entry(member, inner, about, fence - 1)
    yield f"{marks}\n"


def directive(node: Definition, fence: int) -> str:
    """Return the kind of a definition as Sphinx calls it."""
    if isinstance(node, ast.ClassDef):
        return "class"
    if isinstance(node, ast.FunctionDef):
        if fence == 5:
            return "function"
        return "property" if any(ast.unparse(each) == "property" for each in node.decorator_list) else "method"
    return "data" if fence == 5 else "attribute"


def signature(node: Definition) -> str:
    """Return the arguments of a function, with their types, and what it returns; nothing for other definitions."""
    if not isinstance(node, ast.FunctionDef) or directive(node, 0) == "property":
        return ""
    arguments = node.args
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        del arguments.args[0]
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({ast.unparse(arguments)}){returned}"


def details(node: Definition) -> Iterator[str]:
    """Yield the options of a directive: the type of a field or of a property."""
    if isinstance(node, ast.AnnAssign):
        yield f":type: {ast.unparse(node.annotation)}"
    if isinstance(node, ast.FunctionDef) and directive(node, 0) == "property" and node.returns:
        yield f":type: {ast.unparse(node.returns)}"


def described(text: str) -> str:
    """Return a docstring as Markdown, its arguments and errors as lists of definitions."""
    pieces, end = [], 0
    for match in _PARTS.finditer(text + "\n"):
        pieces += [escaped(text[end : match.start()]), part(match[1], match[2])]
        end = match.end()
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*pieces, escaped(text[end:])]).strip()) + "\n"


def part(title: str, body: str) -> str:
    """Return a part of a docstring, such as "Raises", as Markdown."""
    items = _ITEM.findall(body) if title in ("Args", "Attributes", "Raises") else []
    if not items:
        return f"**{TITLES.get(title, title)}**\n: {prose(' '.join(body.split()))}\n"
    entries = (f"`{name}`\n: {prose(' '.join(about.split()))}\n" for name, about in items)
    return "\n".join([f"**{TITLES.get(title, title)}**\n", *entries])


def escaped(text: str) -> str:
    """Return paragraphs in which marks of Markdown outside of code lose their meaning."""
    return "\n".join(line if line.startswith("    ") else prose(line) for line in text.splitlines())
