"""Writes a report of runs: one HTML page without scripts, which loads nothing."""
