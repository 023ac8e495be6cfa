"""Makes HTML from functions: elements, links, tables, and numbers as texts.

Whatever is not made by these functions is text, and cannot become anything else.
"""

from __future__ import annotations

import html
import math
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class Markup(str):
    """Text that is HTML already. Everything else is escaped where it enters a page."""


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


def link(target: Path, text: Child, page: Path) -> Markup:
    """Return a link from a page to a file or a folder, relative to the page's folder."""
    relative = os.path.relpath(os.path.realpath(target), os.path.realpath(page.parent))
    address = quote(os.fsencode(relative))  # a colon too, so that no name of a folder is a scheme
    return element("a", text, href=f"{address}/" if target.is_dir() else address)


def scrolling_table(head: Sequence[Child], rows: Sequence[Sequence[Child]]) -> Markup:
    """Return a table; the first cell of each row is its heading, and what is no cell yet is put into one."""
    titles = element("tr", [element("th", title, scope="col") for title in head])
    body = [element("tr", element("th", row[0], scope="row"), [_cell(child) for child in row[1:]]) for row in rows]
    table = element("table", element("thead", titles), element("tbody", body))
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label="Table")


def _cell(child: Child) -> Child:
    return child if isinstance(child, Markup) and child.startswith("<td") else element("td", child)


def rounded(value: float) -> str:
    """Return a value in three digits that say something: "12,345", "12.3", "−0.0123"; a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    if abs(value) < 1e-3 and value:
        return _with_minus(f"{value:.2g}")
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    return _with_minus(f"{value:,.{min(digits, 5)}f}")


def interval_text(low: float, high: float) -> str:
    """Return "1.2 to 3.4", or nothing where there is no interval."""
    return "" if math.isnan(low) else f"{rounded(low)} to {rounded(high)}"


def compact(value: float) -> str:
    """Return a value as short as an axis needs it: "400k", "1.5M", "−0.25"."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= max(unit, 1e4 if letter == "k" else 0):
            return _with_minus(f"{value / unit:.4g}{letter}")
    return _with_minus(f"{value:.4g}")


def percent(share: float) -> str:
    """Return a share of 1 as "83 %"."""
    return "–" if math.isnan(share) else f"{100 * share:.0f} %"


def counted(number: int, noun: str) -> str:
    """Return "1 run" or "3 runs"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _with_minus(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}", 1) if text.startswith("-") else text
