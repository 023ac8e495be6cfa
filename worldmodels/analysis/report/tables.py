"""Tables of a report: wider than a phone, they scroll by themselves and the page does not."""

from __future__ import annotations

from collections.abc import Sequence

from worldmodels.analysis.report.markup import Child, Markup, element


def scrolling_table(head: Sequence[Child], rows: Sequence[Sequence[Child]]) -> Markup:
    """Return a table; the first cell of each row is its heading, and what is no cell yet is put into one."""
    titles = element("tr", [element("th", title, scope="col") for title in head])
    body = [element("tr", element("th", row[0], scope="row"), [_cell(child) for child in row[1:]]) for row in rows]
    table = element("table", element("thead", titles), element("tbody", body))
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label="Table")


def _cell(child: Child) -> Child:
    return child if isinstance(child, Markup) and child.startswith("<td") else element("td", child)
