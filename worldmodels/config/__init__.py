"""The configuration of a run: its sections, presets and checks. Imports no TensorFlow."""
