"""The server: the page and its files, and a web socket for each viewer."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError

from worldmodels.core.errors import UserError
from worldmodels.player.web.access import HEADERS, Access
from worldmodels.player.web.audience import Audience, Viewer
from worldmodels.player.web.guide_parts import style_sheet
from worldmodels.player.web.messages import LARGEST, Seen, Wish, page_json, read_message
from worldmodels.player.web.scene import Scene
from worldmodels.player.web.session_thread import SessionThread

PAGE = Path(__file__).parent / "page"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
MOST_VIEWERS = 32
HEARTBEAT = 10.0
"""Seconds after which a connection is asked whether it is still there."""
ALIVE = 3.0
"""Seconds without another message after which a page is sent a sign of life; three missing ones, and it says so."""
REPLACED = "The session continues in another tab of this browser."
PATIENCE = 1.0
"""Seconds to wait for a connection that is to be closed."""
NAME_LENGTH = 64
"""The characters of a page's name, at most."""


class Server:
    """The server shows one session to its viewers.

    Args:
        thread: the session.
        access: checks each request.
    """

    def __init__(self, thread: SessionThread, access: Access) -> None:
        self._thread, self._access = thread, access
        self._audience = Audience(thread.inbox)
        self._sockets: dict[Viewer, Any] = {}
        self._scene: Scene | None = None
        self._files = {f"/{path.name}": (path.read_bytes(), TYPES[path.suffix]) for path in PAGE.iterdir()}
        self._files["/colours.css"] = (style_sheet().encode(), TYPES[".css"])
        self._files["/"] = self._files.pop("/index.html")
        self.app = web.Application()
        self.app.router.add_get("/check", self._check)
        self.app.router.add_get("/socket", self._connect)
        self.app.router.add_get("/film/{name}", self._send_film)
        self.app.router.add_get("/{name:.*}", self._send_file)
        self.app.on_response_prepare.append(_add_headers)
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=1.0, logger=_log())

    async def start(self, host: str, port: int) -> int:
        """Begin to listen, and return the port; raise UserError if that address cannot be had."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host, port).start()
        except OSError as error:
            raise UserError(
                f"The player cannot listen at {host}, port {port}: {error.strerror or error}. --host takes an "
                "address or name of this machine, --port another port, and --port 0 a free one."
            ) from error
        return int(self._runner.addresses[0][1])

    def show(self, scene: Scene) -> None:
        """Send a scene to everybody, in this thread."""
        self._scene = scene
        for viewer in self._audience.viewers:
            viewer.changed.set()

    async def close(self, why: str) -> None:
        """Send every viewer the reason of the end, and stop listening."""
        for viewer in list(self._sockets.values()):
            await _dismiss(viewer, why)
        await self._runner.cleanup()

    # ---- requests

    async def _send_file(self, request: web.Request) -> web.Response:
        self._check_headers(request)
        if request.path not in self._files:
            raise web.HTTPNotFound
        body, kind = self._files[request.path]
        return web.Response(body=body, content_type=kind, charset="utf-8")

    async def _send_film(self, request: web.Request) -> web.StreamResponse:
        self._check_token(request)
        path = self._thread.film(request.match_info["name"])
        if path is None or not path.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(path, headers={"Content-Disposition": f'attachment; filename="{path.name}"'})

    async def _check(self, request: web.Request) -> web.Response:
        """Answer whether the token of a link is right, since a web socket cannot give its page the reason of a
        failure."""
        self._check_token(request)
        return web.Response(status=204)

    async def _connect(self, request: web.Request) -> web.WebSocketResponse:
        self._check_token(request)
        if len(self._sockets) >= MOST_VIEWERS:
            raise web.HTTPServiceUnavailable(text=f"There are already {MOST_VIEWERS} viewers, the maximum.")
        # aiohttp refuses a message of max_msg_size bytes, too.
        socket = web.WebSocketResponse(max_msg_size=LARGEST + 1, heartbeat=HEARTBEAT, compress=False)
        await socket.prepare(request)
        viewer = Viewer(request.query.get("page", "")[:NAME_LENGTH])
        earlier = [other for other in self._sockets if other.page == viewer.page != ""]
        for other in earlier:  # it may be dead without anybody knowing
            self._audience.leave(other)
        self._sockets[viewer] = socket
        self._audience.join(viewer)
        sender = asyncio.create_task(self._send(viewer, socket))
        try:
            for other in earlier:
                await _dismiss(self._sockets.get(other), REPLACED)
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    self._take(viewer, message.data)
        finally:
            sender.cancel()
            del self._sockets[viewer]
            self._audience.leave(viewer)
        return socket

    def _check_token(self, request: web.Request) -> None:
        self._check_headers(request)
        if not self._access.admits(request.query.get("token", "")):
            raise web.HTTPForbidden(text="This link does not belong to the session that is played here.")

    def _check_headers(self, request: web.Request) -> None:
        if problem := self._access.problem(request.host, request.headers.get("Origin")):
            raise web.HTTPForbidden(text=problem)

    # ---- viewers

    def _take(self, viewer: Viewer, text: str) -> None:
        """Take one message of a viewer; ignore anything else."""
        message = read_message(text)
        if isinstance(message, Seen):
            self._take_receipt(viewer, message)
        elif message is Wish.PLAY:
            self._audience.ask(viewer)
        elif message is Wish.HAND_OVER:
            self._audience.hand_over(viewer)
        elif message is Wish.RELEASE:
            self._audience.release(viewer)
        elif message is not None:
            self._audience.take(viewer, message)

    def _take_receipt(self, viewer: Viewer, receipt: Seen) -> None:
        now = time.perf_counter()
        sent = viewer.drawn(receipt.number, now)
        if sent and sent.is_new and sent.scene.began and self._audience.plays(viewer):
            self._thread.latency.add(now - sent.scene.began, sent.scene.rate)

    async def _send(self, viewer: Viewer, socket: Any) -> None:
        """Send a viewer its role and the newest scene, whenever they change and it can take more.

        A page that was sent sketches gets exact frames when nothing moves, and any page a sign of life now and then.
        """
        told: dict[str, Any] = {}
        with suppress(ConnectionError):
            while True:
                rests = not await _is_set(viewer.changed, viewer.rest or ALIVE)
                viewer.changed.clear()
                if (role := self._audience.role(viewer)) != told:
                    told = role
                    await socket.send_str(page_json({"role": role}))
                scene = self._scene
                # In a thread, since it takes milliseconds to pack a scene for a page that is behind.
                arguments = (rests, time.perf_counter())
                message = None if scene is None else await asyncio.to_thread(viewer.send, scene, *arguments)
                if message:
                    await socket.send_bytes(message)
                elif rests and not viewer.rest:
                    await socket.send_str(page_json({"alive": True}))


async def _is_set(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event, but not longer; return whether it is set."""
    with suppress(asyncio.TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()


async def _dismiss(socket: Any, why: str) -> None:
    """Close a connection with a reason, so that the page does not reconnect; ignore a page that does not answer."""
    if socket is not None:
        with suppress(ConnectionError, asyncio.TimeoutError):
            await asyncio.wait_for(socket.send_str(page_json({"ended": why})), PATIENCE)
            await asyncio.wait_for(socket.close(), PATIENCE)


def _log() -> logging.Logger:
    """Return aiohttp's log without requests that are no HTTP: aiohttp answers them, and prints a traceback for each."""
    log = logging.Logger("worldmodels.web")
    log.addHandler(logging.StreamHandler())
    log.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError)))
    return log


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
