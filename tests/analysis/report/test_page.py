"""A report is one harmless page, the same for the same runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldmodels.analysis.report.contents import ReportRequest, RunCondition
from worldmodels.analysis.report.page import write_report
from worldmodels.core.errors import RunError, UserError


def test_a_name_that_is_markup_stays_text_and_the_page_repeats(make_run, tmp_path: Path) -> None:
    runs = [make_run("<script>alert(1)", "maze", [1, 2, 3], seed) for seed in range(2)]
    make_run("ppo", "maze", [2, 3, 4])
    request = ReportRequest([tmp_path / "runs"], tmp_path / "report.html")
    conditions = {runs[0]: RunCondition("failed", "</pre><script>")}
    page = write_report(request, conditions).read_text()
    assert "<script" not in page and "&lt;script&gt;" in page and "default-src &#x27;none" not in page
    assert write_report(request, conditions).read_text() == page


def test_what_cannot_be_reported_is_refused(make_run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunError, match="There is no run"):
        write_report(ReportRequest([tmp_path / "empty"], tmp_path / "a.html"), {})
    run = make_run("ppo", "maze", [1, 2])
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "link.html").symlink_to(tmp_path / "elsewhere")
    for name, rule in (("folder.html", "is a folder"), ("link.html", "is a link"), ("page.png", "ends with .html")):
        with pytest.raises(UserError, match=rule):
            write_report(ReportRequest([run], tmp_path / name), {})


def test_runs_without_a_return_are_said_to_have_none(make_run, tmp_path: Path) -> None:
    run = make_run("ppo", "maze", [1, 2], value="model/loss")
    page = write_report(ReportRequest([run], tmp_path / "report.html"), {}).read_text()
    assert "No run has recorded a return" in page
