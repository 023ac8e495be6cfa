"""Engines: they start commands somewhere, watch them and stop them, and know nothing of what a command does."""
