"""Holds the parts of `benchmarks/faults.py`: each breaks one kind of thing and counts what held."""
