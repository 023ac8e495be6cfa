"""The player shows a learned world beside the real one, both driven by the same keys."""
