"""The player's page gets hostile requests: the server goes on, prints nothing of them, and lets no stranger play."""

from __future__ import annotations

import json
import os
import random
import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from fault_campaign.outcome import Outcome, scaled
from fault_campaign.runs import WORLDMODELS

COUNT = 600
"""Hostile requests, one connection each."""
PATIENCE = 60.0
"""Seconds in which the server begins, and answers."""


def run(seed: int, scale: float) -> Iterator[Outcome]:
    generator, count, broke = random.Random(seed), scaled(COUNT, scale), []
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder) / "printed"
        words = [*WORLDMODELS, "play", "--game", "coinrun", "--web", "--port", "0"]
        with printed.open("w") as output:
            environment = os.environ | {"PYTHONUNBUFFERED": "1"}
            process = subprocess.Popen(words, stdout=output, stderr=output, env=environment, cwd=folder)
        try:
            port, token = _address(printed)
            before = len(printed.read_bytes())
            for number in range(count):
                request = _request(generator, port, token)
                answer = _answer(port, request)
                if answer.startswith(b"HTTP/1.1 101"):
                    broke.append(f"{number}: {request[:80]!r} opened the session")
                if not _alive(port, token):
                    broke.append(f"{number}: after {request[:80]!r} the server does not answer")
                    break
            more = printed.read_bytes()[before:]
            if more:
                broke.append(f"the server printed {len(more)} bytes: {more[:200]!r}")
        finally:
            process.terminate()
            process.wait(PATIENCE)
    yield Outcome(
        "hostile requests, after each of which the page was served, and of which nothing was printed", count, broke
    )


def _address(printed: Path) -> tuple[int, str]:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#(\S+)", printed.read_text())
        if found:
            return int(found[1]), found[2]
        time.sleep(0.2)
    raise RuntimeError(f"No link was printed: {printed.read_text()[-400:]}")


def _answer(port: int, request: bytes) -> bytes:
    """Return the first bytes that the server answers; none if it waits for more, or closes."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.settimeout(0.5)
        try:
            connection.sendall(request)
            return connection.recv(1024)
        except OSError:
            return b""


def _alive(port: int, token: str) -> bool:
    query = f"GET /check?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.sendall(query)
        return connection.recv(64).startswith((b"HTTP/1.1 200", b"HTTP/1.1 204"))


def _request(generator: random.Random, port: int, token: str) -> bytes:
    """Return bytes that a browser of the session would never send."""
    host = f"Host: 127.0.0.1:{port}\r\n"
    upgrade = f"{host}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    keyed = f"{upgrade}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    wrong = generator.choice(["", "x" * generator.randrange(5000), token[:-1], token + "a", "%00", "../" * 9])
    method, size = generator.choice(["TRACE", "G\x00T", "\u00e9", ""]), generator.randrange(1, 20_000)
    texts = [
        f"GET /socket?token={wrong} HTTP/1.1\r\n{keyed}\r\n",
        f"GET /socket?token={token} HTTP/1.1\r\n{upgrade}\r\n",
        f"GET /socket?token={token} HTTP/1.1\r\n{keyed}Origin: http://evil.example\r\n\r\n",
        f"GET /socket?token={token} HTTP/1.1\r\n{keyed.replace('127.0.0.1', 'evil.example')}\r\n",
        f"GET /{'../' * generator.randrange(1, 9)}etc/passwd HTTP/1.1\r\n{host}\r\n",
        f"GET /%2e%2e/server.py HTTP/1.1\r\n{host}\r\n",
        f"GET /{'a' * size} HTTP/1.1\r\n{host}\r\n",
        f"GET / HTTP/1.1\r\n{host}X: {'b' * size}\r\n\r\n",
        f"GET / HTTP/{generator.choice(['9', '1.9', 'x', '-1'])}\r\n{host}\r\n",
        f"POST /check HTTP/1.1\r\n{host}Content-Length: {generator.choice([-1, 10**12, 'x'])}\r\n\r\nabc",
        f"POST /check HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        f"GET /check?token={token} HTTP/1.1\r\nHost : x\r\nb@d\r\n\r\n",
        f"{method} / HTTP/1.1\r\n{host}\r\n",
        json.dumps({"key": "right"}) + "\r\n\r\n",
    ]
    if generator.random() < 0.2:
        return generator.randbytes(generator.randrange(1, 3000))
    return generator.choice(texts).encode()
