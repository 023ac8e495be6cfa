"""Writes metrics.md from the register of metrics, worldmodels/telemetry/metrics.yaml.

    python docs/make_metrics.py

`tests/docs/test_metrics.py` fails when the register says something else than metrics.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from worldmodels.core.files.writing import write_atomic
from worldmodels.telemetry.metrics import MetricGroup, metric_groups

PAGE = Path(__file__).with_name("metrics.md")
HEADING = """# Metrics

For: readers of a run's curves. Each metric has a line here, and `worldmodels list metrics` prints the same.
`metrics.jsonl` in the run's folder has a line of JSON for each record, and TensorBoard has the same numbers.
A record is the mean since the last record, or the newest value where a mean has no meaning. `step` counts environment
steps. null stands for a value that was not finite.

Capitals stand for something that differs: `NAME` for a name, `N` for a number of steps. Values of the environment's
`info` are metrics, too: see [environments](environments.md).
[What an evaluation measures](measures.md) explains how the figures of `eval/` are measured.
"""


def text() -> str:
    """Return the page."""
    return "\n".join([HEADING, *(line for group in metric_groups() for line in section(group))])


def section(group: MetricGroup) -> Iterator[str]:
    """Yield the lines of a group's section, with its table."""
    yield from (f"## {group.title}", "")
    if group.about:
        yield from (group.about, "")
    yield from ("| metric | meaning |", "|---|---|")
    for names, meaning in group.rows():
        yield f"| {', '.join(f'`{name}`' for name in names)} | {meaning} |"
    yield ""


if __name__ == "__main__":
    write_atomic(PAGE, text())
