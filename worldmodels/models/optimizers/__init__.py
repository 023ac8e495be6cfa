"""Optimizers keep everything that a restart needs in one tree."""
