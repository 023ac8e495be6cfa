"""Puts the page of learned worlds into the site if `make page` built it; else its still leads to how it is built."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from site_pages.repository import ROOT

BUILT = ROOT / "build" / "page"
PLACE = "play"
"""The folder of the page in the finished site."""
_STILL = re.compile(r"\[(?P<still>!\[[^]]*\]\([^)]*images/page\.jpg\))\]\([^)]*page\.md\)")
_ELEMENT = """```{{raw}} html
<a class="play" href="{address}" data-frame="{address}#world={world}">
```

{still}

```{{raw}} html
<span>Play</span></a>
```"""


def is_built() -> bool:
    """Return whether `make page` was run."""
    return (BUILT / "page.json").is_file()


def with_page(pages: Mapping[str, str]) -> dict[str, str]:
    """Return pages whose stills begin to play when they are pressed."""
    if not is_built():
        return dict(pages)
    world = json.loads((BUILT / "page.json").read_text(encoding="utf-8"))["worlds"][0]["name"]
    changed = {}
    for place, text in pages.items():
        address = os.path.relpath(f"{PLACE}/index.html", PurePosixPath(place).parent)
        element = _ELEMENT.format(address=address, world=world, still=r"\g<still>")
        changed[place] = _STILL.sub(element, text)
    return changed


def copy_page(folder: Path) -> None:
    """Copy the page into its place in a folder, or take it away if it is not built."""
    if (folder / PLACE).exists():
        shutil.rmtree(folder / PLACE)
    if is_built():
        shutil.copytree(BUILT, folder / PLACE)
