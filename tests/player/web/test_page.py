"""The page in a real Chromium: keys, touch, sizes, lost connections, several viewers, a wrong link."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import numpy as np
import pytest
from cart_world import BOX, Cart, CartModel, CartView, PushPolicy
from serving import serving
from tiny_worlds import LatentModel

from worldmodels.core.seeding import Streams
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.latents.latents_snapshot import ProbeReader, Reading
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.players import PolicyPlayer
from worldmodels.player.session.session import Session
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.real_world import RealWorld
from worldmodels.player.session.worlds.state_tracker import StateTracker

pytest.importorskip("aiohttp")
playwright = pytest.importorskip("playwright.async_api")

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


def browse(session, act, **options):
    """Serve a session while `act` goes on with a browser; no page may have an error."""

    async def main():
        async with serving(session, **options) as served, playwright.async_playwright() as driver:
            arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
            browser = await driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
            errors = []

            async def open_page(link=served.link, **settings):
                page = await (await browser.new_context(**settings)).new_page()
                page.on("pageerror", lambda error: errors.append(str(error)))
                page.on("console", lambda line: errors.append(line.text) if "Security Policy" in line.text else None)
                await page.goto(link)
                return page

            result = await act(open_page, served)
            await browser.close()
            assert not errors
            return result

    return asyncio.run(main())


async def begin(page):
    await page.click("#begin")
    await page.wait_for_selector("#help", state="hidden")


async def shows(page, selector, text):
    await page.wait_for_function(
        "([selector, text]) => document.querySelector(selector).innerText.toLowerCase().includes(text)",
        arg=[selector, text],
    )


def test_keys_move_the_worlds(make_session):
    session = make_session()

    async def act(open_page, served):
        page = await open_page(viewport={"width": 1280, "height": 800})
        await shows(page, "#status", "press a key")
        await page.keyboard.press("n")  # begins, makes one step and pauses
        await shows(page, "#clock", "paused")
        await page.keyboard.down("ArrowRight")
        await page.keyboard.up("ArrowRight")
        await shows(page, "#facts", "action right")
        await page.keyboard.press("Tab")
        await page.keyboard.press("-")
        await shows(page, "#notice", "model temperature: 0.75")
        sketched = await frames_of(page)
        await page.wait_for_timeout(4000)  # nothing moves, so exact frames follow
        return sketched, await frames_of(page)

    sketched, frames = browse(session, act)
    seen = session.snapshot()
    np.testing.assert_array_equal(frames[0], seen.models[0].frame)
    np.testing.assert_array_equal(frames[1], seen.real.frame)
    assert np.abs(sketched[1] - seen.real.frame.astype(int)).mean() < 4


async def frames_of(page):
    """Return the frames that the page shows, without their transparency."""
    script = "() => [...document.querySelectorAll('.cell .frame')].map((c) => "
    script += "[...c.getContext('2d').getImageData(0, 0, c.width, c.height).data])"
    return [np.reshape(data, (64, 64, 4))[..., :3] for data in await page.evaluate(script)]


NARROW = [(640, 400), (390, 844), (844, 390)]


@pytest.mark.parametrize("size", [(800, 600), (1280, 800), (1366, 768), (2560, 1440), *NARROW])
def test_everything_is_on_the_screen(make_session, size):
    """Where the page scrolls, the worlds and the commands are on the first screen."""

    async def act(open_page, served):
        page = await open_page(viewport={"width": 1280, "height": 800})
        await begin(page)
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        await page.keyboard.press("n")
        await shows(page, "#clock", "paused")
        await page.wait_for_timeout(200)
        names = ("header", "#worlds", ".cell:first-child", ".cell:last-child", "#below", "#commands", "#settings")
        boxes = {name: await page.locator(name).bounding_box() for name in names}
        return boxes, await page.evaluate("document.documentElement.scrollWidth")

    boxes, across = browse(make_session(), act)
    assert across <= size[0]
    for name in (".cell:first-child", ".cell:last-child"):
        assert boxes[name]["width"] >= 80
        assert boxes["#worlds"]["y"] <= boxes[name]["y"] + 0.5
        assert bottom(boxes[name]) <= min(boxes["#below"]["y"], boxes["#commands"]["y"]) + 0.5
    rows = ("header", "#worlds", "#below", *(() if size in NARROW else ("#commands", "#settings")))
    for above, below in zip(rows, rows[1:], strict=False):
        assert bottom(boxes[above]) <= boxes[below]["y"] + 0.5
    assert bottom(boxes["#commands" if size in NARROW else "#settings"]) <= size[1]


@pytest.mark.parametrize("size", NARROW)
@pytest.mark.parametrize("touch", [False, True])
def test_the_picture_of_a_game_alone_wins_over_its_rules(make_session, size, touch):
    async def act(open_page, served):
        page = await open_page(viewport={"width": size[0], "height": size[1]}, has_touch=touch, is_mobile=touch)
        await begin(page)
        await page.keyboard.press("n")
        await shows(page, "#clock", "paused")
        names = (".cell .frame", "#beside", "#commands")
        return [await page.locator(name).bounding_box() for name in names]

    frame, beside, commands = browse(make_session(models=0, with_policy=False), act)
    assert frame["width"] == frame["height"] >= 0.55 * min(size)
    assert bottom(frame) <= beside["y"] and bottom(beside) <= commands["y"] + 2


def bottom(box):
    return box["y"] + box["height"]


@pytest.mark.parametrize("size", [(1280, 800), (800, 600), (390, 844)])
def test_the_inside_of_a_model_is_looked_at_and_changed(make_session, size):
    session = make_session(model=LatentModel)
    readings = [Reading(f"agent.supported {i}", "cells", 0.9, 1.0, 2.0, 3.0) for i in range(20)]
    session._latents._readings = lambda probes: tuple(readings)
    session._play.models[0].probes = ProbeReader({}, (), lambda state: np.zeros(0))

    async def act(open_page, served):
        page = await open_page(viewport={"width": size[0], "height": size[1]})
        await begin(page)
        for key in ("n", "m"):
            await page.keyboard.press(key)
        await shows(page, "#latents-facts", "2 groups")
        assert await page.locator("#timeline").is_hidden() and await page.locator("#policy").is_hidden()
        await page.locator("#classes").scroll_into_view_if_needed()
        box = await page.locator("#classes").bounding_box()
        await page.mouse.click(box["x"] + 40, box["y"] + 0.75 * box["height"])
        await shows(page, "#latents-facts", "group 2")
        await page.locator('#latents-buttons [data-key="f"]').click()
        await shows(page, "#latents-facts", "changed by hand")
        await page.locator('#latents-buttons [data-key="g"]').click()
        await shows(page, '#latents-buttons [data-key="g"]', "let go")
        await shows(page, "#facts", "latents held 1")
        assert await page.locator('#latents-buttons [data-key="f4"]').is_disabled()
        await shows(page, "#readings", "agent.supported 19")
        across = await page.evaluate(
            "[document.documentElement.scrollWidth, document.querySelector('#readings').scrollWidth "
            "- document.querySelector('#readings').clientWidth]"
        )
        await page.keyboard.press("Escape")
        await page.wait_for_selector("#latents", state="hidden")
        assert await page.locator("#timeline").is_visible()
        return across

    across, over = browse(session, act)
    assert across <= size[0] and over <= 0
    changed = session.snapshot().models[0]
    assert changed.changed and changed.held == 1


def test_fingers_hold_buttons(make_session):
    async def act(open_page, served):
        page = await open_page(**PHONE)
        await begin(page)
        pad = page.locator("#directions .pad")
        at = {name: await page.locator(f'#touch [data-key="{name}"]').bounding_box() for name in ("right", "up")}

        async def finger(kind, x, y):
            await pad.dispatch_event(f"pointer{kind}", {"pointerId": 1, "isPrimary": True, "clientX": x, "clientY": y})

        right, up = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in at.values())
        await finger("down", *right)
        await shows(page, "#facts", "action right")
        await finger("move", right[0], up[1])  # the corner between the two
        await shows(page, "#facts", "action right and up")
        await finger("move", *up)
        await shows(page, "#facts", "action up")
        await finger("up", *up)
        await shows(page, "#facts", "action nothing")
        await page.locator('#touch [data-key="space"]').tap()
        await page.locator('#commands [data-key="c"]').tap()
        await shows(page, "#clock", "paused")

    browse(make_session(), act)


def test_the_time_line_is_dragged(make_session):
    session = make_session()

    async def act(open_page, served):
        page = await open_page(viewport={"width": 1280, "height": 800})
        await begin(page)
        await shows(page, "#facts", "step 12")
        await page.keyboard.press("c")
        await shows(page, "#clock", "paused")
        last, box = session.snapshot().step, await page.locator("#timeline").bounding_box()
        right, y = box["x"] + box["width"] - 11, box["y"] + box["height"] / 2
        await page.mouse.move(right - 3 * 4, y)
        await page.mouse.down()
        await shows(page, "#facts", f"step {last - 4}")
        await page.mouse.move(right + 40, y - 300)
        await shows(page, "#facts", f"step {last}")
        await page.mouse.move(right - 3 * 7, y)
        await shows(page, "#facts", f"step {last - 7}")
        await page.mouse.up()
        await page.mouse.move(right, y)
        await page.wait_for_timeout(200)
        return last - 7

    assert browse(session, act) == session.snapshot().step
    assert session.snapshot().present == session.snapshot().step


def test_a_gamepad_presses_keys(make_session):
    session = make_session()

    async def act(open_page, served):
        page = await open_page(viewport={"width": 1280, "height": 800})
        await begin(page)
        await page.evaluate("window.pad = { connected: true, axes: [0.9, 0], buttons: [] }")
        await page.evaluate("navigator.getGamepads = () => [window.pad]")
        await page.evaluate("dispatchEvent(new Event('gamepadconnected'))")
        await shows(page, "#facts", "action right")
        await page.evaluate("Object.assign(window.pad, { axes: [0, 0], buttons: [{ pressed: true }] })")
        await shows(page, "#facts", "action fire")
        await page.evaluate("window.pad.buttons = []")
        await shows(page, "#facts", "action nothing")

    browse(session, act)


def test_who_looks_away_lets_go(make_session):
    async def act(open_page, served):
        page = await open_page()
        await begin(page)
        await page.keyboard.down("ArrowRight")
        await shows(page, "#facts", "action right")
        await page.evaluate("dispatchEvent(new Event('blur'))")
        await shows(page, "#facts", "action nothing")

    browse(make_session(), act)


def test_two_viewers_take_turns(make_session):
    async def act(open_page, served):
        first, second = await open_page(), await open_page()
        await begin(first)
        await shows(second, "#role", "you watch")
        assert await second.locator("#settings input").first.is_disabled()
        await second.keyboard.press("n")  # of those who watch, nothing is taken
        await second.click("#role-button")
        await shows(first, "#role", "1 of 1 who watch would like to play")
        await shows(first, "#clock", "running")
        await first.click("#role-button")
        await shows(first, "#role", "you watch")
        await second.keyboard.press("n")
        await shows(first, "#clock", "paused")
        await second.context.close()
        await shows(first, "#role", "nobody plays")
        await first.click("#role-button")
        await first.wait_for_selector("#role", state="hidden")

    browse(make_session(), act)


def test_a_lost_connection_comes_back(make_session):
    async def act(open_page, served):
        async with relay(served) as (link, cut):
            page = await open_page(link)
            await begin(page)
            await cut()
            await page.wait_for_selector("#lost", state="visible")
            await page.wait_for_selector("#lost", state="hidden")
            await shows(page, "#clock", "paused")
            await page.keyboard.press("c")
            await shows(page, "#clock", "running")

    browse(make_session(), act)


@asynccontextmanager
async def relay(served):
    """Stand between pages and server; yield another link, and a function that cuts all connections."""
    target, writers = urlsplit(served.address), []

    async def pump(reader, writer):
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()

    async def connect(reader, writer):
        there_reader, there_writer = await asyncio.open_connection(target.hostname, target.port)
        writers.extend([writer, there_writer])
        await asyncio.gather(pump(reader, there_writer), pump(there_reader, writer), return_exceptions=True)

    async def cut():
        for writer in writers:
            writer.transport.abort()
        writers.clear()

    server = await asyncio.start_server(connect, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/#{served.token}", cut
    finally:
        await cut()
        server.close()


def test_a_busy_page_shows_the_newest_picture(make_session):
    async def act(open_page, served):
        first, slow = await open_page(), await open_page()
        await begin(first)
        await slow.evaluate("() => { const end = performance.now() + 1500; while (performance.now() < end); }")
        await first.keyboard.press("c")
        await shows(first, "#clock", "paused")
        await shows(slow, "#clock", "paused")
        assert await first.inner_text("#facts") == await slow.inner_text("#facts")

    browse(make_session(), act, rate=60)


def test_the_link_of_a_new_server_works_in_the_old_tab(make_session):
    """A server that is started again at the same port has another token, and the old tab's address changes behind #."""

    async def act(open_page, served):
        page = await open_page(f"{served.address}/#old")
        await shows(page, "#lost", "does not belong to the session")
        await page.evaluate("link => { location.href = link; }", served.link)
        await page.wait_for_selector("#lost", state="hidden")
        await begin(page)
        await page.keyboard.press("n")
        await shows(page, "#clock", "paused")
        await page.evaluate("location.hash = 'wrong'")
        await shows(page, "#lost", "does not belong to the session")
        await page.evaluate("link => { location.href = link; }", served.link)
        await page.wait_for_selector("#lost", state="hidden")
        await page.keyboard.press("c")
        await shows(page, "#clock", "running")

    browse(make_session(), act)


def test_a_server_that_stands_still_is_told_until_it_is_back(make_session):
    async def act(open_page, served):
        page = await open_page()
        await begin(page)
        await page.evaluate("window.now = Date.now; window.late = 0; Date.now = () => window.now() + window.late")
        await page.keyboard.press("n")
        await shows(page, "#clock", "paused")
        await page.wait_for_timeout(4000)
        assert await page.locator("#lost").is_hidden()  # a server without news gives signs of life
        time.sleep(2.0)  # this process serves, and stands still
        await page.evaluate("window.late = 12000")
        await shows(page, "#lost", "the server does not answer (1")
        await page.wait_for_selector("#lost", state="hidden")

    browse(make_session(), act)


def test_the_one_who_plays_reaches_the_button_that_hands_over_by_tab(make_session):
    async def act(open_page, served):
        first, second = await open_page(), await open_page()
        await begin(first)
        await shows(second, "#role", "you watch")
        await first.keyboard.press("Tab")
        assert await first.evaluate("document.activeElement.id") == "role-button"
        await first.keyboard.press("Tab")  # and on to the settings, as without viewers
        await shows(first, "#settings .chosen", "model temperature")
        await first.keyboard.press("Tab")
        await first.keyboard.press("Enter")
        await shows(first, "#role", "you watch")
        await second.wait_for_selector("#role >> text=Hand over")

    browse(make_session(), act)


def test_a_wrong_link_says_so(make_session):
    async def act(open_page, served):
        page = await open_page(f"{served.address}/#wrong")
        await shows(page, "#lost", "does not belong to the session")
        assert await page.locator("#screen").is_hidden()

    browse(make_session(), act)


def test_leaving_is_asked_about(make_session):
    async def act(open_page, served):
        page = await open_page()
        await begin(page)
        await page.keyboard.press("h")
        await page.wait_for_selector("#help", state="visible")
        await page.keyboard.press("Escape")  # leaves the help
        await page.wait_for_selector("#help", state="hidden")
        await page.keyboard.press("Escape")
        await page.click("#stay")
        await page.keyboard.press("Escape")
        await page.click("#end")
        await shows(page, "#lost", "the session is over")
        await served.task

    browse(make_session(), act)


def make_cart():
    streams, settings = Streams(0), Settings(PlayOptions(), with_model=True, with_policy=True)
    tracker = StateTracker(CartModel(), streams)
    model = ModelWorld(CartView(CartModel()), tracker, streams, settings)
    players = [PolicyPlayer(PushPolicy(), tracker, streams, settings)]
    return Session("Cart", RealWorld(Cart(), seed=1), BoxControls(BOX, ("push", "brake")), settings, [model], players)


def test_bars_are_dragged_and_sliders_set():
    async def act(open_page, served):
        page = await open_page(viewport={"width": 1280, "height": 800})
        await begin(page)
        box = await page.locator("#box").bounding_box()
        bar = box["x"] + 12 + 36, box["width"] - 24 - 36 - 46, box["y"] + 34 + 10
        await page.mouse.move(bar[0] + bar[1] / 2, bar[2])
        await page.mouse.down()
        await page.mouse.move(bar[0] + bar[1], bar[2])
        await shows(page, "#facts", "2.00 0.00")
        await page.mouse.up()
        await shows(page, "#facts", "0.00 0.00")
        await page.evaluate("navigator.getGamepads = () => [{ connected: true, axes: [-0.5, 0] }]")
        await page.evaluate("dispatchEvent(new Event('gamepadconnected'))")
        await shows(page, "#facts", "-1.00 0.00")
        slider = page.locator("#settings input").nth(1)
        await slider.fill("0")
        await shows(page, "#notice", "model temperature: 0, the mode")

    browse(make_cart(), act)
