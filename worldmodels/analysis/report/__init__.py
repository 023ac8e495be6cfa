"""Writes a report of runs: one HTML page without scripts, which asks for nothing from anywhere else."""
