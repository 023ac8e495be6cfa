"""The link as a QR code: its modules, and where it is not printed."""

from __future__ import annotations

import io
import os
import shutil
import sys

import pytest

from worldmodels.player.web.qr_code import code_for, own_address, qr_code
from worldmodels.player.web.serve import _invitation

segno = pytest.importorskip("segno")

LINK = "http://192.168.1.10:8765/#pCbVx0yS3mFq7rT1uW2aZg"
FINDER = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
"""The pattern in three corners of every code."""


class Terminal(io.TextIOWrapper):
    """An output that is a terminal."""

    def isatty(self):
        return True


def terminal(encoding="utf-8"):
    return Terminal(io.BytesIO(), encoding=encoding)


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((80, 24)))


def modules(code):
    """The dark modules of a printed code, without the light ones around it."""
    halves = {"█": "..", "▀": ".#", "▄": "#.", " ": "##"}
    rows = ["".join(halves[sign][i] for sign in line) for line in code.splitlines() for i in (0, 1)]
    size = len(rows[0]) - 4
    assert set(rows[0]) == set(rows[1]) == {"."} and all(row[:2] == row[-2:] == ".." for row in rows[: size + 4])
    return [row[2:-2] for row in rows[2 : 2 + size]]


def test_the_code_holds_the_link():
    found = modules(qr_code(LINK))
    assert len(found) == 29, "version 3, of at most 53 bytes"
    for top, left in ((0, 0), (0, 22), (22, 0)):
        assert [row[left : left + 7] for row in found[top : top + 7]] == FINDER
    assert found[7][:8] == "." * 8, "a light line around each of them"
    wanted = [["#" if dark else "." for dark in row] for row in segno.make_qr(LINK, error="l").matrix]
    assert [list(row) for row in found] == wanted


def test_it_is_shown_in_a_terminal_that_has_room_and_its_signs(monkeypatch):
    assert code_for(LINK, terminal()) == qr_code(LINK)
    assert code_for(LINK, io.StringIO()) == "", "a file or a pipe"
    assert code_for(LINK, terminal("ascii")) == ""
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((33, 24)))
    assert code_for(LINK, terminal()) == "", "each line would be broken"


def test_only_a_link_that_others_can_open_has_a_code(monkeypatch):
    monkeypatch.setattr(sys, "stdout", terminal())
    assert "█" in _invitation("192.168.1.10", 8765, "t" * 22)
    assert "█" not in _invitation("127.0.0.1", 8765, "t" * 22)
    assert f"http://{own_address()}:8765/#t" in _invitation("0.0.0.0", 8765, "t")
