"""Plots of runs, drawn with matplotlib."""
