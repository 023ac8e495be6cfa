"""Recordings of actions and of steps: written, read and played again."""
