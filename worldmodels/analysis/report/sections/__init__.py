"""Sections of the page that `worldmodels report` writes."""
