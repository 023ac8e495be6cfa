"""Loads what runs recorded, aggregates it with honest intervals, and plots it. Works without TensorFlow."""
