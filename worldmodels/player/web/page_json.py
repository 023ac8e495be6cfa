"""JSON for a page, without NaN and infinity."""

from __future__ import annotations

import json
from typing import Any


def page_json(tree: Any) -> str:
    """Return the shortest JSON of a tree; raise ValueError if it holds a number that is not finite."""
    return json.dumps(tree, allow_nan=False, separators=(",", ":"))
