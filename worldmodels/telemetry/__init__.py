"""The reports of a run about itself: metrics to files, TensorBoard and the terminal, videos, timings."""
