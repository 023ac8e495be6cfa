"""The player in a browser: it prints the link, serves the session until a person quits, and ends as the window does."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Callable

from worldmodels.core.errors import UserError, pip_install
from worldmodels.core.output import print_text
from worldmodels.player.session.background_task import BackgroundTask
from worldmodels.player.session.controls.key_script import KeyScript
from worldmodels.player.session.loop import Prepare
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.session import Session
from worldmodels.player.view.capture import VideoRecorder, recorder_of
from worldmodels.player.view.painter import Painter
from worldmodels.player.web.access import Access
from worldmodels.player.web.qr_code import code_for, own_address
from worldmodels.player.web.session_thread import SessionThread

POLL_INTERVAL = 0.1
"""Seconds between two checks for the session's end."""
LOCAL = ("127.0.0.1", "localhost", "::1")


def run_web(painter: Painter, prepare: Prepare, options: PlayOptions, script: KeyScript, zoom: int) -> Session | None:
    """Serve the session that `prepare` builds until a person quits; return it, or None if it never was ready.

    Raises:
        UserError: the packages for it are not installed, the address cannot be had, or whatever `prepare` raised.
    """
    if importlib.util.find_spec("aiohttp") is None:
        raise UserError(
            f"The player in a browser needs a package that is not installed: {pip_install('web')} installs it."
        )
    with recorder_of(options) as video:  # the video is written after the server has ended
        return asyncio.run(serve(painter, prepare, options, script, zoom, video, print_text))


async def serve(
    painter: Painter,
    prepare: Prepare,
    options: PlayOptions,
    script: KeyScript,
    zoom: int,
    video: VideoRecorder | None,
    announce: Callable[[str], object],
) -> Session | None:
    """Serve the session as `run_web` does; `announce` gets the text with the link, and the caller writes the video."""
    from worldmodels.player.web.server import Server

    loop = asyncio.get_running_loop()
    access = Access(options.host)
    thread = SessionThread(
        painter, options, zoom, script, video, lambda scene: loop.call_soon_threadsafe(server.show, scene)
    )
    server = Server(thread, access)
    port = await server.start(options.host, options.port)
    announce(_invitation(options.host, port, access.token))
    task = BackgroundTask(lambda report: thread.run(prepare, report))
    why = "The server was stopped."
    try:
        while task.running:
            await asyncio.sleep(POLL_INTERVAL)
        why = "The session has failed."
        session = task.result()
        why = "The session is over."
        return session
    except UserError as error:
        why = str(error)
        raise
    finally:
        thread.inbox.close()
        task.stop()
        await server.close(why)
        # A tick that is under way is recorded; a model that still loads is not waited for.
        while thread.session is not None and task.running:
            await asyncio.sleep(POLL_INTERVAL)


def _invitation(host: str, port: int, token: str) -> str:
    """Return the link, and a warning if others could read along."""
    everywhere = host in ("0.0.0.0", "::", "")
    name = own_address() if everywhere else f"[{host}]" if ":" in host else host
    link = f"http://{name}:{port}/#{token}"
    text = f"Open this link to play; everyone with the link can watch:\n\n    {link}\n\nCtrl-C ends it."
    if host in LOCAL:
        return text
    code = code_for(link, sys.stdout)
    return (
        f"{code}{chr(10) * bool(code)}"
        f"{text} The connection is not encrypted, so others on the network can read it. A tunnel to a player on "
        f"localhost avoids that: ssh -L {port}:localhost:{port} ..."
    )
