"""Compares learning in bfloat16 with learning in float32: the parts of `benchmarks/precision.py`."""
