"""Writes the page of the gallery's worlds, from their cards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from worldmodels.core.files.packs import FILM, GALLERY, Card, gallery, read_card, run_folder
from worldmodels.telemetry.metrics import metric_groups

FILMS = "films"
"""The folder of films in the finished site."""
INTRODUCTION = """# Worlds of the gallery

`worldmodels play gallery:NAME` opens one. [The gallery](../gallery.md) says what to expect of each, and what a pack
holds. Figures were measured by `worldmodels eval --mode pixels` before the world was published, on the levels that its
card names.

"""
_AGE = re.compile(r"(?P<name>.+_at_)(?P<steps>\d+)")


def pages() -> dict[str, str]:
    """Return the text of the page by its place in the site."""
    entries = (line for name, path in gallery().items() for line in entry(name, read_card(path), path.stat().st_size))
    return {"reference/worlds.md": INTRODUCTION + "\n".join(entries)}


def films() -> Mapping[str, Path]:
    """Return the films of all worlds by their places in the finished site."""
    return {f"{FILMS}/{name}.mp4": run_folder(f"{GALLERY}{name}") / FILM for name in gallery()}


def entry(name: str, card: Card, size: int) -> Iterator[str]:
    """Yield the lines of one world: its film, how it was made, what an evaluation found."""
    yield f"## {card.title}\n"
    yield "```{raw} html"
    yield f'<video src="../{FILMS}/{name}.mp4" controls loop muted playsinline preload="none" width="100%"></video>'
    yield "```\n"
    yield "The film has the model, the real game with the same actions, and their difference.\n"
    yield "| fact | value |\n|---|---|"
    facts = {
        "name": f"`{GALLERY}{name}`",
        "game": f"`{card.game}`",
        "model": f"`{card.model}`",
        "policy": "none" if card.agent == "random" else f"`{card.agent}`",
        "real steps": f"{card.step:,}",
        "size": f"{size / 1e6:.1f} MB",
        "licence": card.licence,
        "commit": f"`{card.commit}`",
    }
    yield from (f"| {fact} | {value} |" for fact, value in facts.items())
    yield f"\n```\n{card.command}\n```\n"
    yield from figures(card)


def figures(card: Card) -> Iterator[str]:
    """Yield the lines of the table of a card's evaluation: a row for each metric, a column for each age of a step."""
    rows: dict[str, dict[str, float]] = {}
    for metric, value in card.evaluation.items():
        found = _AGE.fullmatch(metric)
        rows.setdefault(f"{found['name']}N" if found else metric, {})[found["steps"] if found else ""] = value
    ages = sorted({age for row in rows.values() for age in row}, key=lambda age: int(age or 0))
    meanings = {name: meaning for group in metric_groups() for names, meaning in group.rows() for name in names}
    levels = {"train": "training levels", "unseen": "levels that are no training levels"}.get(card.levels, card.levels)
    yield f"Measured on {levels}. N is the number of steps ahead.\n"
    yield f"| metric | meaning | {' | '.join(f'N = {age}' if age else 'value' for age in ages)} |"
    yield f"|---|---|{'---|' * len(ages)}"
    for name, row in rows.items():
        cells = " | ".join(f"{row[age]:.3g}" if age in row else "" for age in ages)
        yield f"| `{name}` | {meanings.get(name, '')} | {cells} |"
    yield ""
