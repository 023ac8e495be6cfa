"""Holds the parts of `learning.py`: cells, the jobs that train and measure them, and the report."""
