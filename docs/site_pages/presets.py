"""Writes the pages of presets and of grids, from their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from site_pages.markdown import prose
from worldmodels.core.configuration.presets import find_config, find_grid, grid_names, preset_names, read_source

PRESETS = """# Presets

Presets stand in `configs/`. Each is shown with its file: the first lines say what it is for. A preset `on` another has
the values of that one, too; an overlay is used after one of the presets that it names.
[Which preset?](../start/presets.md) helps to choose.

```
worldmodels train --config dreamer_small env.game=maze --logdir runs/maze
worldmodels train --config dreamer_small atari --logdir runs/pong      # an overlay after its preset
worldmodels config demo                                                # all values, also those that no file sets
```
"""
GRIDS = """# Grids

Grids of runs stand in `configs/grids/`. Each is shown with its file: the first lines say what it compares.
[Experiments](../experiments.md) says what a file of your own may hold.

```
worldmodels grid learning_rates --jobs 2
```
"""


def pages() -> dict[str, str]:
    """Return the text of each page by its place in the site."""
    return {
        "reference/presets.md": "\n".join([PRESETS, *preset_entries()]),
        "reference/grids.md": "\n".join([GRIDS, *grid_entries()]),
    }


def preset_entries() -> Iterator[str]:
    """Yield the lines of each preset: what it is, on what it stands, and its file."""
    for name in preset_names():
        source = read_source(name)
        facts = [*below("On", source.base), *below("An overlay, after one of", source.over)]
        yield from entry(name, find_config(name), facts)


def grid_entries() -> Iterator[str]:
    """Yield the lines of each grid."""
    for name in grid_names():
        yield from entry(name, find_grid(name), [])


def below(words: str, files: Sequence[Path]) -> Iterator[str]:
    """Yield the presets below a preset as links."""
    if files:
        yield f"{words}: {', '.join(f'[{file.stem}](#{file.stem})' for file in files)}."


def entry(name: str, file: Path, facts: Sequence[str]) -> Iterator[str]:
    """Yield the lines of one file: its name, its first comment, facts, and the rest of it."""
    lines = file.read_text(encoding="utf-8").splitlines()
    first = next(index for index, line in enumerate(lines) if not line.startswith("#"))
    about = " ".join(line.lstrip("# ") for line in lines[:first])
    yield f"## {name}\n"
    yield from (f"{fact}\n" for fact in (prose(about), *facts))
    yield "\n".join(["```yaml", *lines[first:], "```"]).rstrip() + "\n"
