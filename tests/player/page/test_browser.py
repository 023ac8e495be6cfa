"""A published page in a real Chromium: it loads a world, keys move both worlds, and a link shows what was played."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import re
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from browsing import CHROMIUM, served
from browsing import tab as browser_tab

pytest.importorskip("playwright.async_api")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
WAIT = 60_000
"""Milliseconds in which a world must be there, on a machine with other work."""


def browse(folder: Path, act: Callable[[Any, str], Awaitable[None]], size: tuple[int, int] = (1100, 800)) -> None:
    """Open a folder's page in a browser while `act` goes on with it; the page may have no error."""

    async def main(address: str) -> None:
        async with browser_tab(*size) as page:
            await page.goto(address)
            await page.wait_for_function("() => crossOriginIsolated", timeout=WAIT)  # the service worker's headers
            await page.wait_for_selector("#list button")
            await act(page, address)

    with served(folder) as address:
        asyncio.run(main(address))


async def begin(page: Any) -> None:
    await page.click("#list button")
    await page.wait_for_selector("#player", state="visible", timeout=WAIT)


async def shows(page: Any, selector: str, text: str) -> None:
    script = "([selector, text]) => document.querySelector(selector).innerText.includes(text)"
    await page.wait_for_function(script, arg=[selector, text], timeout=WAIT)


async def pictures(page: Any) -> list[str]:
    return list(await page.evaluate("['model', 'real'].map((id) => document.getElementById(id).toDataURL())"))


def test_keys_move_both_worlds_and_x_puts_the_model_back(page: Path) -> None:
    async def act(tab: Any, address: str) -> None:
        await begin(tab)
        await shows(tab, "#machine", "WebAssembly")
        await tab.keyboard.press("c")
        await shows(tab, "#facts", "paused")
        before = await pictures(tab)
        (step,) = re.findall(r"step (\d+)", await tab.inner_text("#facts"))
        for more in range(1, 5):
            await tab.keyboard.press("ArrowRight")
            await shows(tab, "#facts", f"step {int(step) + more} ")
        model, real = await pictures(tab)
        assert model != before[0] and real != before[1] and model != real
        await tab.keyboard.press("x")
        await shows(tab, "#facts", " 0 steps alone")
        assert (await pictures(tab))[1] == real
        await tab.keyboard.press("Backspace")
        await tab.wait_for_function("() => !document.getElementById('facts').innerText.includes(' 0 steps alone')")
        assert await pictures(tab) == [model, real]

    browse(page, act)


def test_a_gamepad_moves_pauses_and_puts_back(page: Path) -> None:
    async def act(tab: Any, address: str) -> None:
        await begin(tab)
        await tab.evaluate("window.pad = { connected: true, axes: [0.9, 0], buttons: [] }")
        await tab.evaluate("navigator.getGamepads = () => [window.pad]")
        await tab.evaluate("dispatchEvent(new Event('gamepadconnected'))")
        await shows(tab, "#facts", "action run right")
        await tab.evaluate(
            "Object.assign(pad, { axes: [0, 0], buttons: Array(10).fill({}).with(9, { pressed: true }) })"
        )
        await shows(tab, "#facts", "paused")
        await tab.evaluate("pad.buttons = Array(10).fill({}).with(8, { pressed: true })")
        await shows(tab, "#facts", " 0 steps alone")
        assert "paused" in await tab.inner_text("#facts")

    browse(page, act)


def test_a_link_shows_what_was_played(page: Path) -> None:
    keys = "#world={}&seed=5&keys=C1h4xe2"

    async def act(tab: Any, address: str) -> None:
        world = await tab.evaluate("fetch('page.json').then((x) => x.json()).then((x) => x.worlds[0].name)")
        shown = []
        for _ in range(2):
            await tab.goto("about:blank")
            await tab.goto(address + keys.format(world))
            await shows(tab, "#message", "what somebody played")
            await begin(tab)
            await shows(tab, "#facts", "step 6 · 2 steps alone")
            await shows(tab, "#facts", "paused")
            shown.append(await pictures(tab))
        assert shown[0] == shown[1]
        await tab.click("text=copy link")
        assert (await tab.evaluate("location.hash")) == keys.format(world)

    browse(page, act)


def test_b_shows_three_futures(page: Path) -> None:
    async def act(tab: Any, address: str) -> None:
        await begin(tab)
        await tab.keyboard.press("b")
        await shows(tab, "#branches-text", "Three samples of 20 steps")
        await shows(tab, "#facts", "paused")
        before = await pictures(tab)
        script = "[...document.querySelectorAll('#branches canvas')].map((canvas) => canvas.toDataURL())"
        assert len(set(await tab.evaluate(script))) == 3
        await tab.keyboard.press("b")
        await tab.wait_for_selector("#branches", state="hidden")
        assert await pictures(tab) == before

    browse(page, act)


def test_p_lets_the_policy_play_until_a_key_moves(policy_page: Path) -> None:
    async def act(tab: Any, address: str) -> None:
        await begin(tab)
        await tab.keyboard.press("p")
        await shows(tab, "#facts", "the policy plays")
        await shows(tab, "#policy", "expects a return of")
        await tab.keyboard.press("ArrowRight")
        await shows(tab, "#facts", "running")
        await shows(tab, "#message", "you play")
        await tab.click("#commands >> text=policy")
        await shows(tab, "#facts", "the policy plays")
        assert "expects a return of" in await tab.inner_text("#policy")

    browse(policy_page, act)


def test_a_world_without_a_policy_has_no_control_for_one(page: Path) -> None:
    async def act(tab: Any, address: str) -> None:
        await begin(tab)
        assert await tab.locator("#commands >> text=policy").count() == 0
        assert await tab.inner_text("#policy") == ""

    browse(page, act)


def test_a_recording_plays_until_a_key_moves_and_x_goes_on_with_it(recorded_page: Path) -> None:
    async def act(tab: Any, address: str) -> None:
        await begin(tab)
        assert "Recorded" in await tab.inner_text("#worlds")
        await shows(tab, "#facts", "the recording plays")
        await shows(tab, "#facts", "recorded episode")
        await tab.keyboard.down("ArrowRight")
        await shows(tab, "#real-total", "stands still")
        await shows(tab, "#error", "-")
        still = await pictures(tab)
        (step,) = re.findall(r"step (\d+)", await tab.inner_text("#facts"))
        later = "(step) => Number(document.getElementById('facts').innerText.match(/step (\\d+)/)[1]) > step"
        await tab.wait_for_function(later, arg=int(step) + 3, timeout=WAIT)
        assert (await pictures(tab))[1] == still[1]
        await tab.keyboard.up("ArrowRight")
        await tab.keyboard.press("x")
        await shows(tab, "#facts", "the recording plays")
        before = await tab.inner_text("#facts")
        await tab.keyboard.press("r")
        await tab.wait_for_function(
            "(title) => document.getElementById('facts').innerText.split(' · ')[0] !== title",
            arg=before.split(" · ")[0],
        )

    browse(recorded_page, act)


def test_damaged_recordings_are_a_sentence(recorded_page: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(recorded_page, tmp_path / "copy"))
    (episodes,) = copy.glob("worlds/*/episodes.gz")
    episodes.write_bytes(gzip.compress(gzip.decompress(episodes.read_bytes())[:-1]))

    def expect(text: str) -> None:
        async def act(tab: Any, address: str) -> None:
            await tab.click("#list button")
            await shows(tab, "#message", text)
            assert await tab.is_hidden("#player")

        browse(copy, act)

    expect("is damaged: its SHA-256 differs")
    (world,) = copy.glob("worlds/*/world.json")
    tree = json.loads(world.read_text())
    tree["episodes"]["sha256"] = hashlib.sha256(gzip.decompress(episodes.read_bytes())).hexdigest()
    world.write_text(json.dumps(tree))
    expect("The recorded episodes are damaged: they have")


def test_ten_seconds_become_a_film(page: Path, tmp_path: Path) -> None:
    async def act(tab: Any, address: str) -> None:
        await begin(tab)
        async with tab.expect_download(timeout=WAIT) as download:
            await tab.click("text=film")
        await (await download.value).save_as(tmp_path / "film.webm")

    browse(page, act)
    film = (tmp_path / "film.webm").read_bytes()
    assert film[:4] == b"\x1a\x45\xdf\xa3" and len(film) > 10_000  # the beginning of a WebM file


@pytest.mark.parametrize("width", [360, 1100])
def test_everything_fits(page: Path, width: int) -> None:
    async def act(tab: Any, address: str) -> None:
        await begin(tab)
        await tab.click("summary")
        assert await tab.evaluate("document.documentElement.scrollWidth") <= width
        for name in ("#model", "#real", "#timeline", "#commands"):
            assert (await tab.locator(name).bounding_box())["width"] >= 120

    browse(page, act, (width, 760))


def test_a_damaged_world_is_a_sentence(page: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(page, tmp_path / "copy"))
    (step,) = copy.glob("worlds/*/step.onnx.gz")
    (observe,) = copy.glob("worlds/*/observe.onnx.gz")
    shutil.copy(observe, step)

    async def act(tab: Any, address: str) -> None:
        await tab.click("#list button")
        await shows(tab, "#message", "is damaged: its SHA-256 differs")
        assert await tab.locator("#list button").first.is_visible()

    browse(copy, act)


def test_in_a_frame_the_world_of_the_address_plays_at_once(page: Path, tmp_path: Path) -> None:
    site = Path(shutil.copytree(page, tmp_path / "site" / "play")).parent
    world = json.loads((page / "page.json").read_text())["worlds"][0]["name"]
    (site / "index.html").write_text(f'<link rel="icon" href="data:,"><iframe src="play/index.html#world={world}">')

    async def main(address: str) -> None:
        async with browser_tab() as tab:
            await tab.goto(address)
            frame = tab.frame_locator("iframe")
            await frame.locator("#player").wait_for(state="visible", timeout=WAIT)
            assert "one thread" in await frame.locator("#machine").inner_text()

    with served(site) as address:
        asyncio.run(main(address))


CAPTURED = """
const request = GPUAdapter.prototype.requestDevice;
GPUAdapter.prototype.requestDevice = async function (...values) {
  return (self.device = await request.apply(this, values));
};
"""
"""Begins the worker, so that a test can destroy the device."""
NO_FALLBACK = "Object.defineProperty(GPUAdapterInfo.prototype, 'isFallbackAdapter', { value: false })"


@pytest.mark.slow  # a software adapter compiles shaders for minutes
def test_webgpu_is_taken_and_a_lost_one_is_replaced(page: Path) -> None:
    async def main(address: str) -> None:
        software = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
        async with browser_tab(arguments=software, allowed="onnxruntime.*(lost|destroyed)") as tab:
            await tab.add_init_script(f"globalThis.GPUAdapterInfo && {NO_FALLBACK}")
            script = CAPTURED + (page / "worker.js").read_text()
            await tab.context.route("**/worker.js", lambda x: x.fulfill(body=script, content_type="text/javascript"))
            await tab.goto(address)
            await tab.wait_for_function("() => crossOriginIsolated", timeout=WAIT)
            await tab.wait_for_selector("#list button")
            if not await tab.evaluate("navigator.gpu?.requestAdapter().then(Boolean)"):
                pytest.skip("needs a Chromium with WebGPU")
            tab.set_default_timeout(10 * WAIT)
            await tab.click("#list button")
            await tab.wait_for_selector("#player", state="visible")
            assert "on the graphics processor" in await tab.inner_text("#machine")
            await tab.wait_for_function("() => / step [1-9]/.test(document.getElementById('facts').innerText)")
            await tab.workers[0].evaluate("self.device.destroy()")
            await shows(tab, "#message", "so the learned world goes on in WebAssembly")
            assert "WebAssembly" in await tab.inner_text("#machine")
            await shows(tab, "#facts", "paused")  # at the same moment

    with served(page) as address:
        asyncio.run(main(address))
