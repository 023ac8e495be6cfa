"""Reads run folders as data: records, settings, groups of runs."""
