"""Measures of a run, one a file; `table.py` lists them."""
