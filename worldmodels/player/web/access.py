"""Access to the server: a request needs the token of the link and must come from the server's own page.

The token is in the fragment of the link, which browsers never send; the page sends it with each request. The header
Origin reveals a foreign page, the header Host a foreign name that points here (DNS rebinding).
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from urllib.parse import urlsplit

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""The headers of every answer: the page loads nothing from elsewhere, and runs nothing but its own files."""


class Access:
    """The access to one server, by a new random token.

    Args:
        host: the address or name at which it is found.
    """

    def __init__(self, host: str) -> None:
        self.token = secrets.token_urlsafe(16)
        self._names = {"localhost", host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}

    def admits(self, token: str) -> bool:
        """Return whether a token is the link's; this takes as long for any wrong one."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def problem(self, host: str, origin: str | None) -> str:
        """Return the problem of a request's headers Host and Origin; empty if they are ours.

        Any port is right, because a tunnel may lead here from another one.
        """
        if not self._is_own(_name(host)):
            return "The header Host must have an address or the own name of this server. It has another name."
        if origin is not None and _netloc(origin) != host.lower():
            return "Requests must come from this server's own page. The header Origin has another one."
        return ""

    def _is_own(self, name: str) -> bool:
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return True


def _netloc(url: str) -> str:
    """Return host and port of an address in small letters; empty if it has none."""
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""


def _name(host: str) -> str:
    """Return the name or address in a header Host, without its port; empty if it is damaged."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
