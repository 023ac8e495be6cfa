"""The player: a learned world beside the real one, driven by the same keys."""
