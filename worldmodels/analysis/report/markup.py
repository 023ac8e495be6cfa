"""HTML from functions: whatever is not made by them is text, and cannot become anything else."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import TypeAlias

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class Markup(str):
    """Text that is HTML already. Everything else is escaped where it enters a page, whoever wrote it."""


Child: TypeAlias = "str | int | Iterable[Child] | None"
"""Something inside an element: a text, markup, several of them, or nothing."""


def element(name: str, *children: Child, **attributes: str | float | None) -> Markup:
    """Return an element of HTML or SVG.

    Args:
        attributes: those that are None are left out; `stroke_width` is called `stroke-width`, and `class_` `class`.
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    opening = "".join([name, *(f' {key}="{escaped(str(value))}"' for key, value in given.items())])
    return Markup(f"<{opening}>{joined(*children)}</{name}>")


def breakable(text: str) -> Markup:
    """Return a text that may go on in another line after any of `. _ / = ,`, but not inside of numbers."""
    return Markup(re.sub(r"([_/=,]|\.(?!\d))(?=\S)", r"\1<wbr>", escaped(text)))


def joined(*children: Child) -> Markup:
    """Return children one after the other."""
    return Markup("".join(map(_child, children)))


def escaped(text: str) -> Markup:
    """Return a text as markup: signs that mean something in HTML are escaped, unprintable ones replaced."""
    return Markup(html.escape(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str | int):
        return escaped(str(child))
    return joined(*child)
