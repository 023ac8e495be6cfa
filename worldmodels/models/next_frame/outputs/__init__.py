"""Outputs of next-frame models turn a network's features into a frame."""
