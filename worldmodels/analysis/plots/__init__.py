"""Draws plots of runs with Matplotlib."""
