"""Layers and networks of which world models are built."""
