"""The server with pages that are no browsers: roles, what is sent and when, wrong links, and messages of any kind."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import socket
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from serving import TestPage, make_painter, serving
from tiny_worlds import ReconstructingModel

from worldmodels.core.errors import UserError
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.web import server
from worldmodels.player.web.serve import run_web, serve
from worldmodels.recordings.action_recording import read_recording

aiohttp = pytest.importorskip("aiohttp")


def play(session, act, **options):
    """Serve a session while `act` goes on with an HTTP client; return what that returns."""

    async def main():
        async with serving(session, **options) as served, aiohttp.ClientSession() as http:
            return await act(http, served)

    return asyncio.run(main())


async def begin(page):
    await page.until(lambda page: page.parts.get("status", {}).get("kind") == "ready")
    await page.tap("h")
    await page.until(lambda page: page.fact("step") not in (None, "0"))


def test_a_key_moves_the_worlds(make_session):
    session = make_session()

    async def act(http, served):
        async with TestPage(http, served) as page:
            await begin(page)
            await page.send(key="right", pressed=True)
            await page.until(lambda page: page.fact("action") == "right")
            await page.tap("c")
            await page.until(lambda page: page.parts["header"]["clock"] == "paused")
            await page.until(lambda page: page.is_exact)
            assert await page.quiet()
            return page

    page = play(session, act, rate=60)
    seen = session.snapshot()
    np.testing.assert_array_equal(page.frames["column 0"], seen.models[0].frame)
    np.testing.assert_array_equal(page.frames["column 1"], seen.real.frame)
    assert page.parts["columns"][1]["total"] == f"{seen.real.episode_return:.1f}" != "0.0"
    assert page.parts["header"]["totals"].startswith("key to picture")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_server_and_the_recording_is_written(tmp_path, ending):
    words = ["play", "--game", "maze", "--web", "--port", "0", "--record", str(tmp_path / "play.jsonl")]

    async def main():
        command = [sys.executable, "-u", "-m", "worldmodels", *words]
        server = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, preexec_fn=lambda: signal.signal(ending, signal.SIG_DFL)
        )
        while not (link := re.search(r"(http://\S+)/#(\S+)", (await server.stdout.readline()).decode())):
            pass
        served = SimpleNamespace(address=link[1], token=link[2])
        async with aiohttp.ClientSession() as http, TestPage(http, served) as page:
            await begin(page)
            server.send_signal(ending)
            await page.until(lambda page: getattr(page, "ended", None))
        return await asyncio.wait_for(server.wait(), 30), page.ended

    assert asyncio.run(main()) == (130, "The server was stopped.")
    assert read_recording(tmp_path / "play.jsonl").steps >= 1


def test_while_nothing_changes_nothing_is_sent(make_session):
    async def act(http, served):
        async with TestPage(http, served) as page:
            await begin(page)
            await page.tap("c")
            await page.until(lambda page: page.parts["header"]["clock"] == "paused")
            await page.until(lambda page: page.is_exact)
            assert await page.quiet()
            await page.tap("right")  # paused, a key is one step
            before = int(page.fact("step"))
            await page.until(lambda page: int(page.fact("step")) == before + 1)
            await page.until(lambda page: page.is_exact)
            assert await page.quiet()

    play(make_session(), act, rate=60)


def test_while_nothing_changes_pages_get_signs_of_life(make_session, monkeypatch):
    monkeypatch.setattr(server, "ALIVE", 0.2)

    async def act(http, served):
        async with TestPage(http, served) as page:
            await page.until(lambda page: page.is_exact and page.signs >= 3)
            return page.numbers

    numbers = play(make_session(), act)
    assert len(set(numbers)) <= 3  # while it was loaded, and ready


def test_on_a_narrow_line_there_are_four_pictures_a_second_and_no_queue(make_session):
    """A line of 12 kB/s, on which a page waits for each byte; each picture is of noise that is new at each step."""

    async def act(http, served):
        async with TestPage(http, served, line=12_000) as page:
            await begin(page)
            first, start = len(page.numbers), time.perf_counter()
            while time.perf_counter() < start + 4:
                await page.take()
            return page.numbers[first:], page.sizes[first:], time.perf_counter() - start

    session = make_session(length=10**6, model=ReconstructingModel)
    numbers, sizes, seconds = play(session, act, rate=15)
    assert len(numbers) / seconds >= 4
    assert np.percentile(sizes, (50, 90)).max() <= 3200
    assert numbers == sorted(set(numbers)) and np.diff(numbers).max() <= 8


def test_a_setting_gets_a_value(make_session):
    session = make_session()

    async def act(http, served):
        async with TestPage(http, served) as page:
            await begin(page)
            await page.send(setting=1, value=0)
            await page.until(lambda page: page.parts["settings"] == {**page.parts["settings"], "chosen": 1})
            return page

    page = play(session, act)
    assert page.parts["settings"]["rows"][1] == ["model temperature", "0, the mode"]
    assert page.parts["choices"][1][0] == "0, the mode"
    assert session.settings.temperature == 0


def test_the_first_plays_until_handing_over(make_session):
    async def act(http, served):
        async with TestPage(http, served, "a") as first, TestPage(http, served, "b") as second:
            await begin(first)
            await second.until(lambda page: page.role and page.parts)
            assert (first.role["plays"], second.role["plays"]) == (True, False)
            await second.send(key="right", pressed=True)  # of those who watch, nothing is taken
            await second.send(setting=1, value=0)
            await second.send(wish="play")
            await first.until(lambda page: page.role["asking"] == 1)
            assert first.fact("action") == "nothing"
            await first.send(wish="hand over")
            await second.until(lambda page: page.role["plays"])
            await second.send(key="right", pressed=True)
            await second.until(lambda page: page.fact("action") == "right")
            await first.until(lambda page: page.fact("action") == "right")

    play(make_session(), act, rate=60)


def test_without_who_plays_the_session_waits(make_session):
    async def act(http, served):
        async with TestPage(http, served, "b") as second:
            async with TestPage(http, served, "a") as first:
                await second.until(lambda page: page.role)
                assert second.role["plays"]  # it was here first
                await second.send(wish="hand over")
                await first.until(lambda page: page.role.get("plays"))
                await begin(first)
            await second.until(lambda page: not page.role["played"])
            await second.until(lambda page: page.parts["header"]["clock"] == "paused")
            assert page_notice(second) == "paused: no viewer plays"
            await second.until(lambda page: page.is_exact)
            assert await second.quiet()
            async with TestPage(http, served, "a") as again:
                await again.until(lambda page: page.role.get("plays"))

    play(make_session(), act, rate=60)


def page_notice(page):
    return page.parts["header"]["notice"]


def test_a_page_that_connects_again_replaces_its_dead_connection(make_session):
    async def act(http, served):
        async with TestPage(http, served, "a") as first, TestPage(http, served, "a") as again:
            await again.until(lambda page: page.role.get("plays"))
            with pytest.raises(ConnectionError):
                await first.until(lambda page: False)
            assert first.ended == "The session continues in another tab of this browser."
            await again.until(lambda page: page.role["watching"] == 0)

    play(make_session(), act)


def test_a_slow_page_drops_scenes_and_gets_the_newest(make_session):
    async def act(http, served):
        async with TestPage(http, served, "a") as first, TestPage(http, served, "b", slow=True) as slow:
            await begin(first)
            await slow.until(lambda page: len(page.numbers) == 2)
            await first.until(lambda page: page.numbers[-1] > slow.numbers[-1] + 5)
            assert await slow.quiet(0.1)
            await first.until(lambda page: page.numbers[-1] > slow.numbers[-1] + 10)
            newest = first.numbers[-1]
            await slow.send(seen=slow.numbers[-1])
            await slow.until(lambda page: len(page.numbers) == 3)
            assert slow.numbers[-1] >= newest
            assert set(slow.parts) == set(first.parts)

    play(make_session(), act, rate=60)


@pytest.mark.parametrize("path", ["check", "socket"])
def test_a_wrong_link_is_refused(make_session, path):
    async def act(http, served):
        for query in ({}, {"token": ""}, {"token": served.token[:-1]}, {"token": "x" * 5000}):
            async with http.get(f"{served.address}/{path}", params=query) as answer:
                assert (answer.status, "does not belong to the session" in await answer.text()) == (403, True)
        for header in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
            query = {"token": served.token}
            async with http.get(f"{served.address}/{path}", params=query, headers=header) as answer:
                assert answer.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await http.ws_connect(f"{served.address}/socket", params={"token": "a"})

    play(make_session(), act)


def test_the_page_loads_nothing_from_elsewhere(make_session):
    async def act(http, served):
        for name in ("", "page.js", "connection.js", "style.css", "colours.css"):
            async with http.get(f"{served.address}/{name}") as answer:
                assert answer.status == 200
                assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                text = await answer.text()
                assert "http://" not in text and "https://" not in text and "unsafe" not in text
        for name in ("page/page.js", "../server.py", "%2e%2e/server.py", "..%2fserver.py", "server.py", "index.html"):
            async with http.get(f"{served.address}/{name}") as answer:
                assert answer.status == 404

    play(make_session(), act)


def test_messages_of_any_kind_end_nothing(make_session):
    generator = random.Random(1)
    words = ["key", "axis", "setting", "value", "pressed", "wish", "seen", "right", "play", "release", 10**30, -1, None]

    async def act(http, served):
        async with TestPage(http, served, "a") as first, TestPage(http, served, "b") as wild:
            await begin(first)
            for _ in range(300):
                message = {str(generator.choice(words)): generator.choice(words) for _ in range(3)}
                await first.socket.send_str(json.dumps(message)[: generator.randrange(60)])
                await first.socket.send_str(json.dumps(message))
                await first.socket.send_bytes(generator.randbytes(30))
            await first.send(axis=10**9, value=1)
            await first.send(setting=10**9, value=10**9)
            await wild.socket.send_str("x" * 5000)  # longer than a message can be
            with pytest.raises(ConnectionError):
                await wild.until(lambda page: False)
            assert wild.socket.close_code == 1009
            await first.send(key="right", pressed=True)
            await first.until(lambda page: page.fact("action") == "right")

    play(make_session(), act, rate=60)


def test_quitting_ends_the_server(make_session):
    async def act(http, served):
        async with TestPage(http, served) as page:
            await begin(page)
            await page.tap("escape")
            with pytest.raises(ConnectionError):
                await page.until(lambda page: False)
            assert page.ended == "The session is over."
            return await served.task

    session = make_session()
    assert play(session, act, rate=60) is session


def test_what_goes_wrong_is_told_and_raised(make_session):
    def prepare(report):
        report("Loading the world model")
        raise UserError("The run is damaged.")

    async def act(http, served):
        await served.task

    with pytest.raises(UserError, match="The run is damaged"):
        play(prepare, act)


def test_a_port_that_is_taken_is_told(make_session):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        async def main():
            session = make_session()
            options = PlayOptions(web=True, port=port)
            await serve(make_painter(session), lambda report: session, options, {}, 1, None, print)

        with pytest.raises(UserError, match=f"port {port}.*--port 0"):
            asyncio.run(main())


def test_the_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'worldmodels-lab\[web\]'"):
        run_web(None, None, PlayOptions(web=True), {}, 1)


def test_a_message_of_the_largest_size_is_taken(make_session):
    async def act(http, served):
        async with TestPage(http, served) as page:
            await begin(page)
            await page.socket.send_str('{"wish": "release"}'.ljust(4096))
            await page.send(key="right", pressed=True)
            await page.until(lambda page: page.fact("action") == "right")
            await page.socket.send_str('{"wish": "release"}'.ljust(4097))
            with pytest.raises(ConnectionError):
                await page.until(lambda page: False)
            assert page.socket.close_code == 1009

    play(make_session(), act, rate=60)


def test_a_request_that_is_no_http_prints_nothing(make_session, capfd, caplog):
    async def act(http, served):
        port = int(served.address.rpartition(":")[2])
        for request in (b"GET / HTTP/9\r\n\r\n", b"GET /a HTTP/1.1\r\nHost : x\r\nb@d\r\n\r\n", b"\x16\x03\x01\x00"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            assert b"400" in await reader.read(64)
            writer.close()

    play(make_session(), act)
    assert (capfd.readouterr().err, caplog.records) == ("", [])


def test_a_film_that_was_asked_for_is_loaded_down_by_who_has_the_link(make_session, tmp_path):
    async def act(http, served):
        async with TestPage(http, served) as page:
            await begin(page)
            await page.tap("f6")
            await page.until(lambda page: page.parts.get("film"))
            name = page.parts["film"]
            async with http.get(f"{served.address}/film/{name}", params={"token": served.token}) as answer:
                found = answer.status, answer.headers["Content-Disposition"], await answer.read()
            others = []
            for path, token in ((name, "wrong"), ("play-009.mp4", served.token), ("..%2fsecret", served.token)):
                async with http.get(f"{served.address}/film/{path}", params={"token": token}) as answer:
                    others.append(answer.status)
            return found, others

    (tmp_path / "secret").write_text("not a film")
    (status, how, film), others = play(make_session(), act, rate=60, pictures=tmp_path / "films")
    assert (status, how) == (200, 'attachment; filename="play-001.mp4"')
    assert film == (tmp_path / "films" / "play-001.mp4").read_bytes()
    assert others == [403, 404, 404]
