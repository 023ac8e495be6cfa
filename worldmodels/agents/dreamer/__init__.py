"""Dreamer's actor-critic and Plan2Explore: agents that learn in imagination."""
