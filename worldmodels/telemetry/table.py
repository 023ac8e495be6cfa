"""Prints tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", file: TextIO | None = None
) -> None:
    """Print texts in columns: the first to the left, the others, numbers as a rule, to the right."""
    table = Table(
        title=title, caption=caption or None, box=box.SIMPLE_HEAD, title_justify="left", caption_justify="left"
    )
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left")
    for row in rows:
        table.add_row(*row)
    Console(file=file, highlight=False).print(table)
