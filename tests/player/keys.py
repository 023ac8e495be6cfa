"""Keys for a session, shared by its tests."""

from __future__ import annotations

from worldmodels.player.session.events import KeyEvent


def down(*keys):
    return [KeyEvent(key, True) for key in keys]


def tap(*keys):
    return [KeyEvent(key, pressed) for key in keys for pressed in (True, False)]


def run(session, ticks, *first):
    """Tick, the first time with some events; return what is seen then."""
    session.tick(first)
    for _ in range(ticks - 1):
        session.tick()
    return session.snapshot()
