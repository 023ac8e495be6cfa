"""Optimizers, with everything that must survive a restart in one tree."""
