"""Loads the parts of a run from its folder, and TensorFlow; examines the machine."""
