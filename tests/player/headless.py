"""Options of playing without a window, shared by tests."""

from __future__ import annotations

from worldmodels.player.session.options import PlayOptions


def headless(keys, video, **more):
    return PlayOptions(headless=True, key_script=keys, video=video, zoom=1, **more)
