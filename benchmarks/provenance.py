"""Says which code made a result, when, and on which processor.

Every benchmark writes `made_by()` into the results that it measures, and `made_line(...)` into their Markdown. Older
results have the commit that last changed their file instead.
"""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def made_by() -> dict[str, str]:
    """Return the commit of this code, today's date in UTC and the processor."""
    day = datetime.now(timezone.utc).date().isoformat()
    return {"commit": this_commit(), "date": day, "processor": _processor()}


def made_line(records: Iterable[Mapping[str, Any]]) -> str:
    """Return a line of Markdown with the provenance of records, each of which has a `made_by`."""
    made, changed = set(), set()
    for record in records:
        found = record["made_by"]
        if "last_changed_at" in found:
            changed.add(found["last_changed_at"])
        else:
            made.add((found["date"], found["commit"], found["processor"]))
    lines = [f"Made at commit {commit} on {date} on {processor}." for date, commit, processor in sorted(made)]
    if changed:
        s = "s" if len(changed) > 1 else ""
        lines.append(f"{'Other results were l' if made else 'L'}ast changed at commit{s} {', '.join(sorted(changed))}.")
    return " ".join(lines)


def made_now() -> str:
    """Return the line of Markdown of a result that is made now."""
    return made_line([{"made_by": made_by()}])


def _processor() -> str:
    try:
        from worldmodels.core.processor import this_processor
    except ImportError:  # in the environment of a peer
        return platform.processor() or platform.machine()
    return str(this_processor())


@cache
def this_commit(root: Path = ROOT) -> str:
    """Return the short commit of this code, with `+changes` if a file outside the results differs from it."""
    commit = _git(root, "rev-parse", "--short", "HEAD")
    if not commit:
        return "unknown"
    changes = _git(root, "status", "--porcelain", "--", ".", ":(exclude)benchmarks/results")
    return f"{commit}+changes" if changes else commit


def _git(root: Path, *arguments: str) -> str:
    """Return what git prints; nothing where there is no git or no repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
