"""The pieces of `benchmarks/faults.py`: each breaks one kind of thing, and says what held."""
