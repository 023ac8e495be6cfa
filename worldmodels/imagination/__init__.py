"""Imagination lets agents act in a world model."""

from __future__ import annotations
