"""The page of the Python interface has every public name, each with its docstring, and shows them as they are."""

from __future__ import annotations

import ast

from site_pages.python_interface import SECTIONS, definition, definitions, described, entry

import worldmodels
from worldmodels import envs

ELSEWHERE = {"GAMES", "EnvConfig"}
"""Names that other pages have: the games, and the keys of the configuration."""


def test_every_public_name_is_there() -> None:
    listed = {module: set(names) for modules in SECTIONS.values() for module, names in modules.items()}
    assert listed["worldmodels"] == set(worldmodels.__all__) - {"__version__"}
    assert listed["worldmodels.envs"] == set(envs.__all__) - ELSEWHERE


def test_every_name_has_a_docstring() -> None:
    names = [(module, name) for modules in SECTIONS.values() for module, listed in modules.items() for name in listed]
    assert [each for each in names if not definition(*each)[1]] == []


def test_a_docstring_becomes_markdown() -> None:
    text = "Do a_b.\n\nMore.\n\nArgs:\n    one: the first,\n        on two lines.\n    a_two: `c_d`.\n\n"
    text += "Returns:\n    A *thing*.\n"
    assert described(text) == (
        "Do a\\_b.\n\nMore.\n\n**Arguments**\n\n`one`\n: the first, on two lines.\n\n`a_two`\n: `c_d`.\n\n"
        "**Returns**\n: A \\*thing\\*.\n"
    )


def test_a_class_shows_its_public_members() -> None:
    source = (
        'class A:\n    """An A."""\n    size: int = 3\n    """The size."""\n    hidden: int = 4\n'
        '    @property\n    def area(self) -> int:\n        """The area."""\n'
        '    def grow(self, by: int = 1) -> None:\n        """Grow."""\n    def _own(self):\n        """Own."""\n'
    )
    node, text = definitions(ast.parse(source))["A"]
    assert [line for line in entry("m.A", node, text) if line.strip("`\n")] == [
        "`````{py:class} m.A",
        "An A.\n",
        "````{py:attribute} size",
        ":type: int",
        "The size.\n",
        "````{py:property} area",
        ":type: int",
        "The area.\n",
        "````{py:method} grow(by: int=1) -> None",
        "Grow.\n",
    ]
