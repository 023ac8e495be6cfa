"""What a run tells about itself: metrics to files, TensorBoard and the terminal, videos, timings."""
