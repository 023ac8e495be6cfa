"""Holds the parts of `classics.py`: the methods of this project beside those of Stable-Baselines3."""
