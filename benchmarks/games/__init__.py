"""Measures the speed and the size of the native games: the parts of `benchmarks/env_speed.py`."""
