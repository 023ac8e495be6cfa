"""Experiments as grids of training runs: every combination of some values, each with several seeds."""
