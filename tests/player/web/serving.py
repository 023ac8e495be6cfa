"""A session served in this process, and a page without a browser that talks to it."""

from __future__ import annotations

import asyncio
import io
import json
import re
import struct
import zlib
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace

import numpy as np
from PIL import Image

from worldmodels.player.session.controls.key_table import DEFAULT_KEYS
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.panels.help_screen import make_guide
from worldmodels.player.web.serve import serve

PATIENCE = 20
"""Seconds after which something that has to happen counts as missing."""


@asynccontextmanager
async def serving(session, **options):
    """Serve a session, or what a function prepares; yield its task, its address and its token."""
    prepare = session if callable(session) else lambda report: session
    told = asyncio.Queue()
    options = PlayOptions(web=True, port=0, **options)
    task = asyncio.create_task(serve(make_painter(session), prepare, options, {}, 1, None, told.put_nowait))
    announced = asyncio.create_task(told.get())
    await asyncio.wait([task, announced], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        announced.cancel()
        task.result()
    address, token = re.search(r"(http://\S+)/#(\S+)", announced.result()).groups()
    try:
        yield SimpleNamespace(task=task, address=address, token=token, link=f"{address}/#{token}")
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def make_painter(session):
    controls = getattr(session, "controls", None) or SimpleNamespace(help=list, signs=(), names=(), keys=DEFAULT_KEYS)
    guide = make_guide("Field", "Walk to the right.", controls, with_model=True, players=2)
    return Painter(guide, (64, 64), 3, "runs/field, step 0")


class TestPage:
    """A page that keeps what it was sent, and says so unless it is `slow`; `line` has so many bytes a second."""

    __test__ = False

    def __init__(self, http, served, name="", slow=False, line=None):
        self.http, self.served, self.name, self.slow, self.line = http, served, name, slow, line
        self.parts, self.frames, self.role, self.numbers = {}, {}, {}, []
        self.exact, self.sizes, self.is_exact, self.signs = {}, [], False, 0
        self.ended = None

    async def __aenter__(self):
        query = {"token": self.served.token, "page": self.name}
        self.socket = await self.http.ws_connect(f"{self.served.address}/socket", params=query)
        return self

    async def __aexit__(self, *error):
        await self.socket.close()

    async def send(self, **message):
        await self.socket.send_str(json.dumps(message))

    async def tap(self, key):
        await self.send(key=key, pressed=True)
        await self.send(key=key, pressed=False)

    async def until(self, condition):
        """Take messages until something is true of the page."""

        async def take_all():
            while not condition(self):
                await self.take()

        await asyncio.wait_for(take_all(), PATIENCE)

    async def take(self):
        message = await self.socket.receive()
        if isinstance(message.data, str):
            content = json.loads(message.data)
            self.role = content.get("role", self.role)
            # Kept as by the real page: a message that was on its way may still follow the reason of the end.
            self.ended = content.get("ended", self.ended)
            self.signs += content.get("alive", False)
        elif isinstance(message.data, bytes):
            head, frames = unpack(message.data, self.exact, self.parts.get("timeline"))
            self.parts |= head["parts"] | {"timeline": head["timeline"]}
            self.frames |= frames
            self.numbers.append(head["number"])
            self.sizes.append(len(message.data))
            self.is_exact = not head["shrunk"] or (self.is_exact and not head["frames"])
            if self.line:
                await asyncio.sleep(len(message.data) / self.line)
            if not self.slow:
                # As in a browser: a closed connection takes no receipt, and what came before its end can still be read.
                with suppress(ConnectionError):
                    await self.send(seen=head["number"])
        else:
            raise ConnectionError(message)

    async def quiet(self, seconds=0.4):
        """Say whether nothing comes for so long."""
        try:
            await asyncio.wait_for(self.take(), seconds)
        except asyncio.TimeoutError:
            return True
        return False

    def fact(self, name):
        return dict(self.parts["header"]["facts"])[name] if "header" in self.parts else None


def unpack(message, exact=None, timeline=None):
    """Return head and frames of a message, by the format that `scene.py` describes.

    Args:
        exact: the last exact frames of the page, which grow.
        timeline: the time line of the page; the head gets the whole new one.
    """
    data = zlib.decompress(message)
    (length,) = struct.unpack_from("<I", data)
    head, rest, frames = json.loads(data[4 : 4 + length]), data[4 + length :], {}
    if head["timeline"] is not None:
        first, end, added = head["timeline"]
        head["timeline"] = [*(timeline or [])[first:end], *added]
    if head["shrunk"]:
        return head, sketches(rest, head["frames"], head["shrunk"])
    for name, height, width, is_change in head["frames"]:
        size = height * width * 3
        frames[name] = np.frombuffer(rest[:size], np.uint8).reshape(height, width, 3)
        rest = rest[size:]
        if is_change:
            frames[name] = frames[name] ^ exact[name]
    assert not rest
    if exact is None:
        return head, frames
    exact |= frames
    return head, dict(exact)


def sketches(picture, shapes, shrunk):
    """Return the frames of planes below one another, enlarged."""
    planes, frames = np.asarray(Image.open(io.BytesIO(picture)).convert("L")) if shapes else None, {}
    for name, height, width in (shape[:3] for shape in shapes):
        rows, columns = -(-height // shrunk), -(-width // shrunk)
        own = np.stack([planes[i * rows : (i + 1) * rows, :columns] for i in range(3)], -1)
        planes = planes[3 * rows :]
        colours = np.asarray(Image.fromarray(own, "YCbCr").convert("RGB"))
        frames[name] = colours.repeat(shrunk, 0).repeat(shrunk, 1)[:height, :width]
    return frames
