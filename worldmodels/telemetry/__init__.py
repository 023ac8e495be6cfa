"""Writes the metrics of a run to files, TensorBoard and the terminal; writes videos; measures times."""
