"""The register of metrics: every name that a run writes in `metrics.jsonl`, with its meaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worldmodels.core.files.yaml_files import parse_value

FILE = Path(__file__).with_name("metrics.yaml")


@dataclass(frozen=True)
class MetricGroup:
    """Metrics of one kind."""

    title: str
    metrics: dict[str, str]
    """Meanings by names, such as {"model/loss": "the whole loss"}. Names that share a meaning are one key, with commas
    between them."""
    about: str = ""
    """Sentences that hold for all of them."""

    def rows(self) -> Iterator[tuple[list[str], str]]:
        """Yield names and the meaning that they have in common."""
        for names, meaning in self.metrics.items():
            yield names.split(", "), meaning


def metric_groups() -> list[MetricGroup]:
    """Return the groups in the order of the file."""
    return [MetricGroup(**group) for group in parse_value(FILE.read_text(), str(FILE))]


def metric_lines() -> Iterator[str]:
    """Yield a line for each name with its meaning, after the title of its group."""
    for group in metric_groups():
        yield f"# {group.title}"
        for names, meaning in group.rows():
            yield from (f"{name:<48} {meaning}" for name in names)
