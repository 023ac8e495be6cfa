"""The scripts of the documentation are no package: their folder is where their own imports look."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "docs"))
