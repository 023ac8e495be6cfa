"""The pieces of `benchmarks/train_speed.py`."""
