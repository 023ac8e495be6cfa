"""The bridge between world models and agents: a learned world seen as something to act in."""

from __future__ import annotations
