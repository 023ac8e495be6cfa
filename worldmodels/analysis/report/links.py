"""Links from a page to files and folders beside it, which hold when all of them move together."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from worldmodels.analysis.report.markup import Child, Markup, element


def link(target: Path, text: Child, page: Path) -> Markup:
    """Return a link from a page to a file or a folder, relative to the page's folder."""
    relative = os.path.relpath(os.path.realpath(target), os.path.realpath(page.parent))
    address = quote(os.fsencode(relative))  # a colon too, so that no name of a folder is a scheme
    return element("a", text, href=f"{address}/" if target.is_dir() else address)
