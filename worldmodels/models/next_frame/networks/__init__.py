"""Layouts of the networks of next-frame models, and their layers."""
