"""Measures policies and world models, offline and while a run trains."""
