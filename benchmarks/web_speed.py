"""Measures the player in a browser: the time from a key to its picture, pictures a second, the cost of a pause.

    python benchmarks/web_speed.py [--keys 60] [--presets dreamer_small simple_small] [--overrides ...]

For each preset a run folder with fresh weights is made, which take as long as learned ones, and served by a process of
its own to a headless Chromium on this machine: model, reality, difference and policy together. Needs aiohttp, the
Python package playwright and Chromium.

key to picture keys are pressed at random times while the clock ticks 15 times a second; the time in the page from the
               key until the next frame of the screen after the picture of the step that obeys it has been drawn
pictures/s     steps that the page has shown in each second, at 15 steps a second and at 60
paused         processor time of the server in each second of a pause
bytes          of each picture while keys are held at 15 steps a second, without a browser: on this machine, and on a
               line of 12 kB/s, on which the time of each byte is waited for; and pictures that arrive in each second

`--only bytes` measures those alone, keeps the other figures, and needs no browser.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import numpy as np
from player_speed import make_run
from provenance import made_by, made_line
from speed.stopwatch import machine

if TYPE_CHECKING:
    from playwright.async_api import Page

MILLISECONDS, PICTURES, PAUSED = 80, 15, 0.10
"""Targets: milliseconds and share of a processor to stay below, pictures a second to reach."""
NARROW, PICTURE_BYTES, NARROW_PICTURES = 12_000, 3000, 4
"""Bytes a second of a narrow line, and targets on it: bytes of a picture, pictures a second."""
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
async def serving(run: Path | str, rate: int) -> AsyncIterator[tuple[str, int]]:
    """Serve a run or a world of the gallery; yield its link and the process id of the server."""
    command = [sys.executable, "-u", "-m", "worldmodels", "play", str(run), "--web", "--port", "0", "--rate", str(rate)]
    server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        link = None
        while link is None:
            link = re.search(r"http://\S+", (await server.stdout.readline()).decode())  # type: ignore[union-attr]
        yield link.group(), server.pid
    finally:
        server.terminate()
        await server.wait()


@asynccontextmanager
async def playing(run: Path, rate: int) -> AsyncIterator[tuple[Page, int]]:
    """Serve a run and open its page; yield the page, once the person plays, and the process id of the server."""
    from playwright.async_api import async_playwright

    async with serving(run, rate) as (link, process), async_playwright() as driver:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = await driver.chromium.launch(executable_path=path, args=arguments)
        page = await browser.new_page(viewport={"width": 1280, "height": 800})
        await page.goto(link)
        await page.click("#begin", timeout=300_000)
        await page.wait_for_timeout(3000)  # the first pictures take longer
        await page.evaluate(PROBE)
        yield page, process
        await browser.close()


async def bytes_of_pictures(run: Path, seconds: float, line: int | None) -> dict[str, float]:
    """Return bytes of a picture, median and 90th percentile, and pictures a second.

    Args:
        line: the bytes that it carries in each second; None for this machine's own.
    """
    generator, sizes, key = np.random.default_rng(0), [], "right"
    async with serving(run, PICTURES) as (link, _), aiohttp.ClientSession() as http:
        address, _, token = link.partition("/#")
        async with http.ws_connect(f"{address}/socket", params={"token": token}, max_msg_size=0) as socket:
            start = pressed = 0.0
            while not start or time.perf_counter() < start + 3 + seconds:
                message = await socket.receive()
                if message.type is not aiohttp.WSMsgType.BINARY:
                    continue
                head = head_of(message.data)
                if head["parts"].get("status", {}).get("kind") == "ready" and not start:
                    start = time.perf_counter()
                    await socket.send_str('{"key":"right","pressed":true}')
                await asyncio.sleep(len(message.data) / line if line else 0)
                await socket.send_str(json.dumps({"seen": head["number"]}))
                now = time.perf_counter()
                if start and now > start + 3:  # the first pictures take longer
                    sizes.append(len(message.data))
                if start and now > pressed + 0.3:
                    await socket.send_str(json.dumps({"key": key, "pressed": False}))
                    key, pressed = str(generator.choice(("right", "left", "up"))), now
                    await socket.send_str(json.dumps({"key": key, "pressed": True}))
    median, high = np.percentile(sizes, (50, 90))
    return {"median": float(median), "90th": float(high), "pictures": len(sizes) / seconds}


def head_of(message: bytes) -> dict[str, Any]:
    """Return the head of a scene, as `player/web/scene.py` describes it."""
    data = zlib.decompress(message)
    (length,) = struct.unpack_from("<I", data)
    head: dict[str, Any] = json.loads(data[4 : 4 + length])
    return head


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


def measure(preset: str, overrides: list[str], keys: int, only: str) -> dict[str, Any]:
    """Return all figures of one preset, or only those of `only`."""
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(preset, overrides, Path(folder))
        if only in ("", "browser"):
            figures |= asyncio.run(key_to_picture(run, keys))
            figures["fastest"] = asyncio.run(pictures_a_second(run, 15))
            figures["paused"] = asyncio.run(paused(run, 15))
        if only in ("", "bytes"):
            figures["bytes"] = asyncio.run(bytes_of_pictures(run, 15, None))
            figures["narrow"] = asyncio.run(bytes_of_pictures(run, 15, NARROW))
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
    lines += [
        "",
        f"Bytes of a picture while keys are held at {PICTURES} steps a second, median and 90th percentile; targets are "
        f"{PICTURE_BYTES} in the median, and {NARROW_PICTURES} pictures a second on a line of {NARROW // 1000} kB/s.",
        "",
        f"| preset | bytes on this machine | bytes at {NARROW // 1000} kB/s | pictures/s there |",
        "|---|---|---|---|",
    ]
    made = [{"made_by": result[key]} for key in ("made_by", "kept_of") if key in result]
    for preset, figures in result["presets"].items():
        own, narrow = (f"{figures[key]['median']:.0f}, {figures[key]['90th']:.0f}" for key in ("bytes", "narrow"))
        lines.append(f"| {preset} | {own} | {narrow} | {figures['narrow']['pictures']:.1f} |")
    return "\n".join([*lines, "", made_line(made)]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presets", nargs="+", default=["dreamer_small", "simple_small"])
    parser.add_argument("--overrides", nargs="*", default=[], metavar="KEY=VALUE")
    parser.add_argument("--keys", type=int, default=60, help="keys to press (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "web_speed")
    parser.add_argument("--only", default="", choices=("browser", "bytes"), help="measure these figures, keep others")
    how = parser.parse_args()
    file = how.output.with_suffix(".json")
    before = json.loads(file.read_text()) if how.only and file.is_file() else {"presets": {}}
    kept = before["presets"]
    result: dict[str, Any] = {"command": "python benchmarks/web_speed.py", "cores": len(os.sched_getaffinity(0))}
    result["presets"] = {
        preset: kept.get(preset, {}) | measure(preset, how.overrides, how.keys, how.only) for preset in how.presets
    }
    result |= {"machine": machine(), "made_by": made_by()}
    if "made_by" in before:
        result["kept_of"] = before["made_by"]
    how.output.with_suffix(".json").write_text(json.dumps(result, indent=2) + "\n")
    how.output.with_suffix(".md").write_text(report(result))
    print(report(result))


if __name__ == "__main__":
    main()
