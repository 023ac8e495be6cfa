"""The register of metrics, and its lines in a terminal."""

from __future__ import annotations

from worldmodels.telemetry.metrics import MetricGroup, metric_groups, metric_lines


def test_names_with_one_meaning_are_told_apart() -> None:
    group = MetricGroup("Losses", {"model/loss": "all", "model/a_loss, model/b_loss": "of a, and of b"})
    assert list(group.rows()) == [(["model/loss"], "all"), (["model/a_loss", "model/b_loss"], "of a, and of b")]


def test_every_name_has_a_line_with_its_meaning() -> None:
    lines = list(metric_lines())
    assert lines[0] == "# Episodes of training"
    assert lines[1].split(maxsplit=1) == ["episode/return", "sum of the rewards of an episode that ended"]
    names = [name for group in metric_groups() for found, _ in group.rows() for name in found]
    assert len(lines) == len(names) + len(metric_groups()) and len(set(names)) == len(names) > 90
