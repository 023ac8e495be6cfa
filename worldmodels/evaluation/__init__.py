"""Measures policies and world models offline: looking changes nothing, and the same seed gives the same numbers."""
