"""Static folders in a real Chromium, for tests of pages; a test without Chromium or Playwright is skipped."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


class Quiet(SimpleHTTPRequestHandler):
    """A server without a log."""

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder, and give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.asynccontextmanager
async def tab(
    width: int = 1100, height: int = 800, arguments: tuple[str, ...] = (), allowed: str = "$^"
) -> AsyncIterator[Any]:
    """Give a tab of a browser; what the page reports as an error fails the test, unless `allowed` is found in it."""
    playwright = pytest.importorskip("playwright.async_api")
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    async with playwright.async_playwright() as driver:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=[*sandbox, *arguments])
        page = await browser.new_page(viewport={"width": width, "height": height})
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        yield page
        await browser.close()
        assert [error for error in errors if not re.search(allowed, error)] == []
