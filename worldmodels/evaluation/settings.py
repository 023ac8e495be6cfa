"""The horizons at which an evaluation reports single numbers."""

from __future__ import annotations


def marks(horizon: int) -> list[int]:
    """The horizons at which single numbers are reported: a quarter, and the whole."""
    return sorted({max(1, horizon // 4), horizon})
