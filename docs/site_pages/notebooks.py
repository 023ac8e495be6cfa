"""Reads notebooks, which are scripts in Jupytext's format py:percent, as Markdown."""

from __future__ import annotations

from pathlib import Path

import jupytext

HOW_TO_RUN = """## Run it

`python docs/notebooks/{name}.py` runs this page in the clone. JupyterLab with Jupytext opens the file as a notebook,
and so does VS Code. `jupytext --to notebook docs/notebooks/{name}.py` writes an `.ipynb`.
"""


def as_markdown(path: Path) -> str:
    """Return the texts and the code of a notebook, and how it is run."""
    cells = jupytext.read(path, fmt="py:percent").cells
    parts = [cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```" for cell in cells]
    return "\n\n".join([*parts, HOW_TO_RUN.format(name=path.stem)])
