"""Outputs of next-frame models: the way from a network's features to a frame."""
