"""The page in a real Chromium, from a file and offline: nothing is asked for, cut or wider than the screen."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worldmodels.analysis.report.contents import ReportRequest, RunCondition
from worldmodels.analysis.report.page import write_report
from worldmodels.telemetry.video import write_video

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
CUT = """() => [...document.querySelectorAll('main *')].filter((part) => {
  const box = part.getBoundingClientRect();
  return !part.closest('.scroll, details:not([open])') && box.width && (box.left < 0 || box.right > innerWidth);
}).map((part) => part.outerHTML.slice(0, 80))"""
"""Parts that reach over an edge of the screen and are in nothing that scrolls."""


@pytest.fixture
def report(make_run: Callable[..., Path], tmp_path: Path) -> Path:
    """The page of 12 runs with long names, one of which has a film, and one of which failed with a long line."""
    runs = [
        make_run(method, game, list(range(seed, seed + 6)), seed)
        for method in ("a_method_with_" + "a_very_long_name_" * 4, "short")
        for game in ("coinrun", "maze", "an_environment_of_somebody_else/WithALongName-v3")
        for seed in range(2)
    ]
    write_video(runs[0] / "videos" / "policy_00000060.mp4", np.zeros((4, 64, 64, 3), np.uint8))
    conditions = {run: RunCondition("finished") for run in runs} | {runs[1]: RunCondition("failed", "x" * 500)}
    return write_report(ReportRequest([tmp_path / "runs"], tmp_path / "report.html", films=True), conditions)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any, report: Path) -> Iterator[Callable[..., Any]]:
    """Return a function that opens the report offline; nothing else may be asked for, and nothing may go wrong."""
    asked, wrong = list[str](), list[str]()

    def open_page(**settings: Any) -> Any:
        page = chromium.new_context(offline=True, **settings).new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda line: wrong.append(line.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(report.as_uri())
        return page

    yield open_page
    assert not wrong and {url for url in asked if not url.startswith("data:")} == {report.as_uri()}
    for context in chromium.contexts:
        context.close()


@pytest.mark.parametrize("screen", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_nothing_is_wider_than_the_screen(opened: Callable[..., Any], screen: dict[str, Any]) -> None:
    page = opened(**screen)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == screen["viewport"]["width"]
    assert page.evaluate(CUT) == []
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('main *')].filter((part) => !part.closest('svg'))"
        ".map((part) => parseFloat(getComputedStyle(part).fontSize)))"
    )
    assert smallest >= 13
    assert page.locator("svg.chart").count() == 5


def test_a_wide_table_scrolls_under_its_first_column(opened: Callable[..., Any]) -> None:
    page = opened(**PHONE)
    table = page.locator(".scroll").first
    table.evaluate("(part) => { part.scrollLeft = part.scrollWidth; }")
    frame, heading, last = (
        found.bounding_box()
        for found in (table, table.locator("tbody th").first, table.locator("tbody tr").first.locator("td").last)
    )
    assert heading["x"] == frame["x"] and last["x"] + last["width"] <= frame["x"] + frame["width"] + 1


def test_links_lead_to_sections(opened: Callable[..., Any]) -> None:
    page = opened(**PHONE)
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href")).count() == 1


def test_films_play(opened: Callable[..., Any]) -> None:
    page = opened(**DESKTOP)
    page.wait_for_function("document.querySelector('video').readyState >= 1 || document.querySelector('video').error")
    assert page.evaluate("[document.querySelector('video').error, document.querySelector('video').videoWidth]") == [
        None,
        64,
    ]


def test_themes_and_print_have_contrast(opened: Callable[..., Any]) -> None:
    page = opened(**DESKTOP, color_scheme="dark")
    colors = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    dark = page.evaluate(colors)
    page.emulate_media(media="print")  # on paper nothing is dark
    light = page.evaluate(colors)
    assert (dark, light) == (["rgb(21, 24, 28)", "rgb(228, 231, 235)"], ["rgb(255, 255, 255)", "rgb(35, 39, 46)"])
