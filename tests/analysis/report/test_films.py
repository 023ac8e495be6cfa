"""The newest film of each kind is in the page, or linked."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from worldmodels.analysis.report.contents import ReportRequest
from worldmodels.analysis.report.page import write_report
from worldmodels.analysis.report.sections import runs
from worldmodels.core.errors import UserError


@pytest.fixture
def filmed(make_run: Callable[..., Path]) -> Path:
    run = make_run("ppo", "maze", [1, 2])
    (run / "videos").mkdir()
    for name in ("policy_00000900", "policy_00010000", "prediction_00000900", "notes"):
        (run / "videos" / f"{name}.mp4").write_bytes(f"film {name}".encode())
    return run


def test_films_are_linked(filmed: Path, tmp_path: Path) -> None:
    text = write_report(ReportRequest([filmed], tmp_path / "report.html"), {}).read_text()
    assert 'href="runs/ppo/maze_easy_0/videos/policy_00010000.mp4">policy<' in text
    assert "prediction_00000900.mp4" in text and "policy_00000900" not in text and "<video" not in text


def test_films_are_in_the_page_on_request(filmed: Path, tmp_path: Path) -> None:
    text = write_report(ReportRequest([filmed], tmp_path / "report.html", films=True), {}).read_text()
    data = base64.b64encode(b"film policy_00010000").decode()
    assert f'src="data:video/mp4;base64,{data}"' in text and text.count("<video") == 2


def test_too_many_films_are_refused(filmed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "LARGEST", 40)
    request = ReportRequest([filmed], tmp_path / "report.html", films=True)
    with pytest.raises(UserError, match="The 2 films are 0 MB, and a page takes 0 MB of them. Leave --films out"):
        write_report(request, {})
    assert not request.save.exists()
