"""Holds the parts of `foreign.py`: measuring, the report, and held first steps."""
