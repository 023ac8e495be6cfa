"""Holds the parts of `benchmarks/train_speed.py`."""
