"""Access: the link's token, and requests that come from pages of this server."""

from __future__ import annotations

import pytest

from worldmodels.player.web.access import Access


def test_only_the_links_token_admits():
    access = Access("127.0.0.1")
    assert access.admits(access.token)
    assert not any(access.admits(token) for token in ("", "a", access.token[:-1], access.token + "a", "é" * 22))
    assert access.token != Access("127.0.0.1").token and len(access.token) >= 20


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "localhost:9000", "[::1]:8765", "10.0.0.7:80"])
def test_addresses_and_own_names_are_right(host):
    assert not Access("127.0.0.1").problem(host, f"http://{host}")
    assert not Access("127.0.0.1").problem(host, None)


@pytest.mark.parametrize("host", ["evil.example:8765", "", "[", "localhost.evil.example", "127.0.0.1.evil.example"])
def test_foreign_names_are_refused(host):
    assert "Host" in Access("127.0.0.1").problem(host, None)


@pytest.mark.parametrize("origin", ["null", "http://evil.example", "http://127.0.0.1:1", "http://[", ""])
def test_foreign_pages_are_refused(origin):
    assert "Origin" in Access("127.0.0.1").problem("127.0.0.1:8765", origin)


def test_the_name_to_be_found_at_is_right():
    assert not Access("Lab.example").problem("lab.example:8765", "https://lab.example:8765")
