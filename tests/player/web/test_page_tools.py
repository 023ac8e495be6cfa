"""The list of episodes, drawing, info and vibration in a real Chromium."""

from __future__ import annotations

import pytest
from recorded import with_episodes
from test_page import CHROMIUM, PHONE, begin, browse, shows

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
SIZE = {"width": 1280, "height": 800}


async def paused(open_page):
    """Return a page that has begun, made a step and paused."""
    page = await open_page(viewport=SIZE)
    await shows(page, "#status", "press a key")
    await page.keyboard.press("n")
    await shows(page, "#clock", "paused")
    return page


def test_an_episode_is_touched_in_the_list_and_scrubbed(make_session):
    session = with_episodes(make_session())

    async def act(open_page, served):
        page = await paused(open_page)
        await page.keyboard.press("F9")
        await page.wait_for_selector("#episodes", state="visible")
        await shows(page, "#episodes", "unfinished")
        await page.click("#episodes tr[data-line='1']")
        await page.wait_for_selector("#episodes", state="hidden")
        await shows(page, "#facts", "recorded episode 2 of 2")
        await page.keyboard.press("c")
        box = await page.locator("#timeline").bounding_box()
        left, right = box["x"] + 108, box["x"] + box["width"] - 10  # the plot
        await page.mouse.click(left + (right - left) * 30.5 / 41, box["y"] + 30)
        await shows(page, "#facts", "step 30 of 40")
        await page.keyboard.press("F9")
        await page.wait_for_selector("#episodes", state="visible")
        await page.keyboard.press("Escape")
        await page.wait_for_selector("#episodes", state="hidden")
        assert not await page.is_visible("#quit")

    browse(session, act)


def test_a_finger_draws_on_the_real_frame(make_session):
    session = make_session()

    async def act(open_page, served):
        page = await paused(open_page)
        for _ in range(2):
            await page.keyboard.press("Shift+F2")
        await shows(page, "#facts", "brush")
        await page.keyboard.press("Home")
        await shows(page, "#info", "step of the episode 1")
        box = await page.locator(".cell .frame").nth(1).bounding_box()
        await page.mouse.move(box["x"] + box["width"] * 10.5 / 64, box["y"] + box["height"] * 5.5 / 64)
        await page.mouse.down()
        await page.mouse.move(box["x"] + box["width"] * 20.5 / 64, box["y"] + box["height"] * 5.5 / 64)
        await page.mouse.up()
        await shows(page, "#facts", "changed by hand")
        model = await page.locator(".cell .frame").nth(0).bounding_box()
        await page.mouse.click(model["x"] + 20, model["y"] + 20)
        await page.keyboard.press("Escape")
        await page.wait_for_function("() => !document.querySelector('#facts').innerText.includes('brush')")

    browse(session, act)
    frame, ground = session.snapshot().real.frame, (40, 90, 60)
    assert not (frame == ground).all(-1)[5, 9:22].any()
    assert (frame == ground).all(-1)[8:].sum() == (session._play.real.image == ground).all(-1)[8:].sum()


def test_a_phone_vibrates_on_rewards_if_that_is_wanted(make_session):
    async def act(open_page, served):
        page = await open_page(**PHONE)
        await page.evaluate("() => { navigator.vibrate = (pulse) => (window.felt = [...(window.felt ?? []), pulse]); }")
        await begin(page)
        await page.keyboard.down("ArrowRight")
        await shows(page, "#facts", "action right")
        assert await page.evaluate("window.felt ?? null") is None, "it is off"
        await page.keyboard.up("ArrowRight")
        await page.click("#vibration")
        await page.keyboard.down("ArrowRight")
        await page.wait_for_function("() => window.felt?.length > 1")
        assert (await page.evaluate("window.felt"))[-1] == [30]
        still = await open_page(**PHONE, reduced_motion="reduce")
        await still.wait_for_selector("#screen", state="visible")
        assert not await still.is_visible("#vibration")

    browse(make_session(), act)
