"""Access: who may talk to the server. The link's token opens it, and only pages of its own may use that.

The token stands in the fragment of the link, which browsers send to nobody; the page sends it with each request. A
foreign page is told by its origin, and a foreign name that was made to point here (DNS rebinding) by the host.
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
    """The access to one server, by a token that is drawn anew for each.

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
        """Return what is wrong with the headers Host and Origin of a request; nothing if they are ours.

        Any port is right, because a tunnel may lead here from another one.
        """
        if not self._is_own(_name(host)):
            return "This server is reached by an address or by its own name. The header Host has another one."
        if origin is not None and _netloc(origin) != host.lower():
            return "Only this server's own page may talk to it. The header Origin names another one."
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
