"""Collectors of steps in other processes."""
