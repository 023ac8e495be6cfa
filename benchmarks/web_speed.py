"""Measures the player in a browser: the time from a key to its picture, pictures a second, the cost of a pause.

    python benchmarks/web_speed.py [--keys 60] [--presets dreamer_small simple_small] [--overrides ...]

For each preset a run folder with fresh weights is made, which take as long as learned ones, and served by a process of
its own to a headless Chromium on this machine: model, reality, difference and policy together. Needs aiohttp, the
Python package playwright and Chromium.

key to picture keys are pressed at random times while the clock ticks 15 times a second; the time in the page from the
               key until the next frame of the screen after the picture of the step that obeys it has been drawn
pictures/s     steps that the page has shown in each second, at 15 steps a second and at 60
paused         processor time of the server in each second of a pause
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
from player_speed import make_run
from playwright.async_api import Page, async_playwright
from provenance import made_by, made_line
from speed.stopwatch import machine

MILLISECONDS, PICTURES, PAUSED = 80, 15, 0.10
"""Targets: milliseconds and share of a processor to stay below, pictures a second to reach."""
KEYS = ("ArrowRight", "ArrowLeft", "ArrowUp")
FASTEST = 60

PROBE = """() => {
  const facts = document.getElementById("facts");
  const value = (name) => [...facts.children].find((fact) => fact.innerText.startsWith(name + " "))?.innerText;
  window.probe = { steps: 0, milliseconds: [], pressed: 0 };
  let step = value("step"), action = value("action");
  addEventListener("keydown", (event) => { probe.pressed = event.timeStamp; }, true);
  new MutationObserver(() => {
    if (value("step") !== step) probe.steps += 1;
    if (probe.pressed && value("action") !== action) {
      const pressed = probe.pressed;
      probe.pressed = 0;
      requestAnimationFrame(() => requestAnimationFrame((now) => probe.milliseconds.push(now - pressed)));
    }
    [step, action] = [value("step"), value("action")];
  }).observe(facts, { childList: true, subtree: true });
}"""


@asynccontextmanager
async def playing(run: Path, rate: int) -> AsyncIterator[tuple[Page, int]]:
    """Serve a run and open its page; yield the page, once the person plays, and the process id of the server."""
    command = [sys.executable, "-u", "-m", "worldmodels", "play", str(run), "--web", "--port", "0", "--rate", str(rate)]
    server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        link = None
        while link is None:
            link = re.search(r"http://\S+", (await server.stdout.readline()).decode())  # type: ignore[union-attr]
        async with async_playwright() as driver:
            arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
            path = shutil.which("chromium") or shutil.which("google-chrome")
            browser = await driver.chromium.launch(executable_path=path, args=arguments)
            page = await browser.new_page(viewport={"width": 1280, "height": 800})
            await page.goto(link.group())
            await page.click("#begin", timeout=300_000)
            await page.wait_for_timeout(3000)  # the first pictures take longer
            await page.evaluate(PROBE)
            yield page, server.pid
            await browser.close()
    finally:
        server.terminate()
        await server.wait()


async def key_to_picture(run: Path, keys: int) -> dict[str, Any]:
    """Return the time from keys to their pictures, and pictures a second, both at 15 steps a second."""
    generator = np.random.default_rng(0)
    async with playing(run, PICTURES) as (page, _):
        start = time.perf_counter()
        for _ in range(keys):
            key = str(generator.choice(KEYS))
            await page.keyboard.down(key)
            await page.wait_for_timeout(200 + generator.uniform(0, 67))
            await page.keyboard.up(key)
            await page.wait_for_timeout(200 + generator.uniform(0, 67))
        probe = await page.evaluate("probe")
        seconds = time.perf_counter() - start
    median, high = np.percentile(probe["milliseconds"], (50, 95))
    spread = {"median": float(median), "95th": float(high), "keys": len(probe["milliseconds"])}
    return {"milliseconds": spread, "pictures": probe["steps"] / seconds}


async def pictures_a_second(run: Path, seconds: float) -> float:
    async with playing(run, FASTEST) as (page, _):
        start = time.perf_counter()
        await page.wait_for_timeout(1000 * seconds)
        steps: int = await page.evaluate("probe.steps")
        return steps / (time.perf_counter() - start)


async def paused(run: Path, seconds: float) -> float:
    async with playing(run, PICTURES) as (page, process):
        await page.keyboard.press("c")
        await page.wait_for_timeout(3000)
        before, start = processor_seconds(process), time.perf_counter()
        await asyncio.sleep(seconds)
        return (processor_seconds(process) - before) / (time.perf_counter() - start)


def processor_seconds(process: int) -> float:
    """Return the processor time that a process has used, in all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(preset: str, overrides: list[str], keys: int) -> dict[str, Any]:
    """Return all figures of one preset."""
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(preset, overrides, Path(folder))
        figures = asyncio.run(key_to_picture(run, keys))
        figures["fastest"] = asyncio.run(pictures_a_second(run, 15))
        figures["paused"] = asyncio.run(paused(run, 15))
        return figures


def report(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    how = result["machine"]
    lines = [
        "# Speed of the player in a browser",
        "",
        f"`{result['command']}`, server and headless Chromium together on {result['cores']} of {how['cores']} cores of "
        f"{how['processor']}, TensorFlow {how['tensorflow']}. Model, reality, difference and policy, coinrun.",
        "",
        "| preset | key to picture at 15 steps/s: median, 95th | pictures/s at 15 | at 60 | processor while paused |",
        "|---|---|---|---|---|",
    ]
    for preset, figures in result["presets"].items():
        spread = figures["milliseconds"]
        lines.append(
            f"| {preset} | {spread['median']:.0f} ms, {spread['95th']:.0f} ms (target {MILLISECONDS}) "
            f"| {figures['pictures']:.1f} (target {PICTURES}) | {figures['fastest']:.0f} "
            f"| {100 * figures['paused']:.1f} % (target {100 * PAUSED:.0f} %) |"
        )
    return "\n".join([*lines, "", made_line([result])]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presets", nargs="+", default=["dreamer_small", "simple_small"])
    parser.add_argument("--overrides", nargs="*", default=[], metavar="KEY=VALUE")
    parser.add_argument("--keys", type=int, default=60, help="keys to press (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "web_speed")
    how = parser.parse_args()
    result: dict[str, Any] = {"command": "python benchmarks/web_speed.py", "cores": len(os.sched_getaffinity(0))}
    result["presets"] = {preset: measure(preset, how.overrides, how.keys) for preset in how.presets}
    result |= {"machine": machine(), "made_by": made_by()}
    how.output.with_suffix(".json").write_text(json.dumps(result, indent=2) + "\n")
    how.output.with_suffix(".md").write_text(report(result))
    print(report(result))


if __name__ == "__main__":
    main()
