"""Measures the static page of `make page` in a headless Chromium on this machine, and builds nothing.

    python benchmarks/page_speed.py

Needs the Python package playwright and Chromium. All is measured in the page itself, with its own modules, after its
service worker has added the headers for threads.

game alone     a native game is stepped, and its picture for the model made and drawn, without waiting between
in one go      the same 500 times, without drawing
world          model and native game take a step together, and the three pictures are drawn, as fast as the machine can
first picture  from the request of the page, by a browser that has seen none of it, until the picture of a step that
               obeys a key; the second visit finds the files in the browser's cache
bytes          of all that the server sends until then, without the headers of responses
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar

from provenance import ROOT, made_now

from worldmodels.envs.games.table import ACTION_KEYS, GAME_INFO

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page

FOLDER, RESULT = ROOT / "build" / "page", ROOT / "benchmarks" / "results" / "page_speed.md"
FLOW, RSSM = "coinrun", "coinrun_dreamer"
"""The worlds of the gallery that are measured."""
IN_ONE_GO, TIMES = 500, 5
"""Steps of a game in one go, and how often everything but the worlds is measured."""
WARM_UP, STEPS = 10, 100
"""Steps of a world that are left out, and that count."""
WAIT = 120_000
"""Milliseconds in which anything must be there."""
CASES = {
    (FLOW, 1, 1): "10",
    (FLOW, 2, 1): "none",
    (FLOW, 1, 2): "none",
    (FLOW, 2, 2): "15",
    (RSSM, 0, 1): "30",
    (RSSM, 0, 2): "30",
}
"""Steps a second to reach, of a world with so many calls for each frame and threads."""

MODULES = """
  const named = (names) => Promise.all(names.map((name) => import(new URL(`${name}.js`, location.href))));
  const json = async (path) => (await fetch(path)).json(), page = await json("page.json");
  const canvas = (id) => document.getElementById(id);"""
"""The beginning of both scripts."""

GAMES = """async ({ games, steps, times }) => {MODULES
  const [{ Engine }, { fetchFile }, { drawFrame }] = await named(["engine", "files", "view"]), found = {};
  const engine = await Engine.load(await fetchFile(page.engine, location.href));
  for (const name of games) {
    const game = engine.open(name);
    game.seed(0);
    const milliseconds = (show) => {
      const start = performance.now();
      for (let i = 0; i < steps; i++) {
        game.step((7 * i) % 15);
        show(game.frame());
        if (game.terminated || game.truncated) game.reset();
      }
      return performance.now() - start;
    };
    milliseconds(() => {}); // the browser compiles what is called often once more
    const repeated = (show) => Array.from({ length: times }, () => milliseconds(show));
    found[name] = [repeated(() => {}), repeated((frame) => drawFrame(canvas("real"), frame, game.shape))];
    game.close();
  }
  return found;
}""".replace("MODULES", MODULES)
"""Gives the milliseconds of so many steps of each game, without and with drawing."""

WORLD = """async ({ name, calls, threads, warmUp, steps }) => {MODULES
  const [{ Engine }, { fetchFile }, { Playthrough }] = await named(["engine", "files", "playthrough"]);
  const [{ RemoteModel }, { differenceMap, drawFrame }] = await named(["remote_model", "view"]);
  const world = await json(`worlds/${name}/world.json`), fetched = (file) => fetchFile(file, location.href);
  const { functions } = world, files = {};
  for (const [one, { file }] of Object.entries(functions)) files[one] = await fetched(file);
  const [binary, weights] = [await fetched(page.runtime), await fetched(world.weights)];
  const model = new RemoteModel(new Worker("worker.js", { type: "module" }));
  const runtime = new URL(page.script, location.href).href;
  await model.start({ runtime, binary, processor: "wasm", threads, functions, files, weights });
  const game = (await Engine.load(await fetched(page.engine))).open(world.game, world.options);
  const playthrough = new Playthrough(game, model, { temperature: 1, calls: calls || 1 });
  const draw = (id, frame) => drawFrame(canvas(id), frame, game.shape);
  await playthrough.begin(0);
  let start = 0;
  for (let i = -warmUp; i < steps; i++) {
    if (i === 0) start = performance.now();
    await playthrough.do(playthrough.state.ended ? ["new episode"] : ["action", (7 * i + 105) % 15]);
    const { predicted, real } = playthrough.state;
    draw("model", predicted.frame);
    draw("real", real.frame);
    draw("difference", differenceMap(predicted.frame, real.frame));
  }
  const seconds = (performance.now() - start) / 1000;
  model.stop();
  return steps / seconds;
}""".replace("MODULES", MODULES)
"""Gives the steps a second of a world."""


class Counting(SimpleHTTPRequestHandler):
    """A server without a log that notes the bytes of each response."""

    sent: ClassVar[list[int]] = []

    def log_message(self, *_: Any) -> None:
        """Write nothing."""

    def send_header(self, keyword: str, value: str) -> None:
        """Note how long the response is."""
        if keyword == "Content-Length":
            self.sent.append(int(value))
        super().send_header(keyword, value)


@contextmanager
def served() -> Iterator[tuple[str, list[int]]]:
    """Serve the page; give its address, and the bytes of each response so far."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Counting, directory=str(FOLDER)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", Counting.sent
    finally:
        server.shutdown()
        server.server_close()


@asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    """Give a browser."""
    from playwright.async_api import async_playwright

    async with async_playwright() as driver:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = await driver.chromium.launch(executable_path=path, args=sandbox)
        yield browser
        await browser.close()


async def opened(page: Page, address: str) -> None:
    """Open the page, and wait until it has its headers for threads and shows its worlds."""
    await page.goto(address)
    await page.wait_for_function("() => crossOriginIsolated", timeout=WAIT)
    await page.wait_for_selector("#list button", timeout=WAIT)


async def first_picture(visitor: BrowserContext, address: str, world: dict[str, Any]) -> float:
    """Return the seconds from the request of the page until the picture of a step that obeys a key."""
    right = world["meanings"][ACTION_KEYS.index(("right",))]
    page = await visitor.new_page()
    start = time.perf_counter()
    await opened(page, address)
    await page.click(f"#list button:text-is('Play {world['title']}')")
    await page.wait_for_selector("#player", state="visible", timeout=WAIT)
    await page.keyboard.down("ArrowRight")
    script = "(action) => document.getElementById('facts').innerText.includes(`action ${action} `)"
    await page.wait_for_function(script, arg=right, timeout=WAIT)
    seconds = time.perf_counter() - start
    await page.close()
    return seconds


async def measure() -> dict[str, Any]:
    """Return all figures."""
    world = json.loads((FOLDER / "worlds" / FLOW / "world.json").read_text())
    with served() as (address, sent):
        async with browsing() as browser:
            page = await browser.new_page()
            await opened(page, address)
            games = await page.evaluate(GAMES, {"games": list(GAME_INFO), "steps": IN_ONE_GO, "times": TIMES})
            worlds = {}
            for name, calls, threads in CASES:
                how = {"name": name, "calls": calls, "threads": threads, "warmUp": WARM_UP, "steps": STEPS}
                worlds[name, calls, threads] = await page.evaluate(WORLD, how)
            await page.close()
            first, second, fetched = [], [], []
            for _ in range(TIMES):
                context = await browser.new_context()
                sent.clear()
                first.append(await first_picture(context, address, world))
                fetched.append(sum(sent))
                second.append(await first_picture(context, address, world))
                await context.close()
            return {
                "browser": f"Chromium {browser.version}",
                "games": {name: [statistics.median(times) for times in both] for name, both in games.items()},
                "worlds": worlds,
                "first": first,
                "second": second,
                "bytes": statistics.median(fetched),
            }


def report(found: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    alone, drawn = ({name: both[i] for name, both in found["games"].items()} for i in range(2))
    slowest, slowest_drawn = (max(times, key=times.__getitem__) for times in (alone, drawn))
    rate = f"{1000 * IN_ONE_GO / drawn[slowest_drawn]:,.0f} steps a second"
    rows = [
        (f"{slowest_drawn}, the slowest of {len(drawn)} native games, alone and drawn", rate, "60"),
        (f"{IN_ONE_GO} steps of {slowest} in one go, the slowest of {len(alone)}", f"{alone[slowest]:.1f} ms", "50 ms"),
        (f"{IN_ONE_GO} steps in one go, median game", f"{statistics.median(alone.values()):.1f} ms", "50 ms"),
    ]
    for (name, calls, threads), rate in found["worlds"].items():
        how = f"{_count(calls, 'call')}, {_count(threads, 'thread')}" if calls else _count(threads, "thread")
        kind = "sampled next frame" if calls else "RSSM"
        target = CASES[name, calls, threads]
        rows.append((f"`gallery:{name}` ({kind}) beside the game, {how}", f"{rate:.1f} steps a second", target))
    for what, times in (("first", found["first"]), ("second", found["second"])):
        spread = f"{statistics.median(times):.2f} s ({min(times):.2f} to {max(times):.2f})"
        rows.append((f"first picture that answers keys, {what} visit of {FLOW}", spread, "3 s"))
    rows.append((f"fetched for {FLOW}, in all", f"{found['bytes'] / 1e6:.2f} MB", "12 MB"))
    table = [f"| {what} | {value} | {target} |" for what, value, target in rows]
    lines = [
        "# Speed of the static page",
        "",
        f"`python benchmarks/page_speed.py`, server and headless {found['browser']} together on "
        f"{len(os.sched_getaffinity(0))} of {os.cpu_count()} cores. The models run in WebAssembly.",
        "",
        f"Games and first pictures are medians of {TIMES}, the latter with the range; the rates of worlds are means of "
        f"{STEPS} steps, with the three pictures drawn.",
        "",
        "| what | measured | target |",
        "|---|---|---|",
        *table,
        "",
        made_now(),
    ]
    return "\n".join(lines) + "\n"


def _count(count: int, what: str) -> str:
    return f"{count} {what}" + ("s" if count > 1 else "")


def main() -> None:
    absent = [name for name in (FLOW, RSSM) if not (FOLDER / "worlds" / name / "world.json").is_file()]
    if absent:
        sys.exit(f"There is no page with {' and '.join(absent)} in '{FOLDER}': `make page` builds it.")
    text = report(asyncio.run(measure()))
    RESULT.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
