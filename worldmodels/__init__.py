"""Experiments with world models: native games, learned worlds, agents that dream, and a player to look at them."""

__version__ = "0.1.0"
