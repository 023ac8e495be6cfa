"""The session's thread: recordings, videos and pictures as the window writes them, and the end by Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from keys import tap
from serving import make_painter

from worldmodels.player.session.events import KeyEvent
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.web.session_thread import SessionThread
from worldmodels.recordings.action_recording import read_recording
from worldmodels.telemetry.video import read_video


class Recorder:
    """Counts the pictures of a video."""

    def __init__(self):
        self.shapes = []

    def add(self, picture):
        self.shapes.append(picture.shape)


def play(session, events, recorder=None, script=None, **options):
    """Play a session to its number of ticks with somebody there; return its scenes."""
    scenes = []
    thread = SessionThread(
        make_painter(session), PlayOptions(rate=240, **options), 1, script or {}, recorder, scenes.append
    )
    thread.inbox.set_played(True)
    for event in events:
        thread.inbox.put(event)
    worker = threading.Thread(target=thread.run, args=(lambda report: session, lambda status: None))
    worker.start()
    worker.join(20)
    assert not worker.is_alive()
    return scenes


def test_scenes_are_numbered_and_begin_with_the_guide(make_session):
    scenes = play(make_session(), tap("h"), steps=3)
    assert [scene.number for scene in scenes] == list(range(1, len(scenes) + 1))
    assert "guide" in scenes[0].parts and "columns" not in scenes[0].parts
    assert {"touch", "choices", "columns"} <= set(scenes[-1].parts)


def test_the_key_that_begins_counts(make_session):
    session = make_session()
    play(session, [KeyEvent("right", True)], steps=2)
    assert session.snapshot().real.episode_return == 2


def test_a_script_begins_at_once(make_session):
    session = make_session()
    play(session, [], script={1: [KeyEvent("right", True)]}, steps=3)
    assert session.snapshot().real.episode_return == 2


def test_each_tick_is_a_picture_of_the_video(make_session):
    recorder = Recorder()
    play(make_session(), tap("h"), recorder, steps=4)
    assert len(recorder.shapes) == 4 and len(set(recorder.shapes)) == 1


def test_pictures_are_saved_where_the_server_is(make_session, tmp_path):
    play(make_session(), tap("f2"), steps=2, pictures=tmp_path / "pictures")
    names = {path.name for path in (tmp_path / "pictures").iterdir()}
    assert names == {"play-001.png", "play-001-model-0.png", "play-001-real.png", "play-001-difference.png"}


def test_nobody_plays_nothing_happens(make_session):
    session, scenes = make_session(), []
    thread = SessionThread(make_painter(session), PlayOptions(policy=True, rate=240), 1, {}, None, scenes.append)
    worker = threading.Thread(target=thread.run, args=(lambda report: session, lambda status: None))
    worker.start()
    thread.inbox.set_played(True)
    until(lambda: session.snapshot().step > 2)
    thread.inbox.set_played(False)
    until(lambda: session.paused)
    step = session.snapshot().step
    thread.inbox.put(KeyEvent("right", True))
    time.sleep(0.1)
    assert session.snapshot().step == step
    thread.inbox.set_played(True)
    until(lambda: session.snapshot().step > step)
    thread.inbox.close()
    worker.join(20)
    assert not worker.is_alive()


def until(condition):
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError


def test_ctrl_c_writes_recording_and_video(tmp_path):
    pytest.importorskip("aiohttp")
    record, video = tmp_path / "play.jsonl", tmp_path / "play.mp4"
    script = tmp_path / "keys.txt"
    script.write_text("0 press right\n")
    command = ["play", "--game", "maze", "--web", "--port", "0", "--rate", "60", "--key-script", script, "--zoom", "2"]
    command += ["--record", record, "--video", video]
    served = subprocess.Popen(
        [sys.executable, "-u", "-m", "worldmodels", *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        link = re.search(r"http://127.0.0.1:\d+/#\S+", "".join(served.stdout.readline() for _ in range(4))).group()
        watch(link)
        served.send_signal(signal.SIGINT)
        text, _ = served.communicate(timeout=60)
    finally:
        served.kill()
    assert served.returncode == 130 and f"Wrote {record}." in text and "Traceback" not in text
    (episode,) = read_recording(record).episodes
    assert len(episode.actions) >= 5
    assert len(read_video(video)) >= len(episode.actions)


def watch(link):
    """Play for a few steps, by doing nothing but being there."""
    import asyncio
    from types import SimpleNamespace

    import aiohttp
    from serving import TestPage

    address, token = link.split("/#")

    async def main():
        served = SimpleNamespace(address=address, token=token)
        async with aiohttp.ClientSession() as http, TestPage(http, served) as page:
            await page.until(lambda page: int(page.fact("step") or 0) >= 5)

    asyncio.run(main())
