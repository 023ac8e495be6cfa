"""Runs that are stored behind an address, s3://bucket/folder, and trained in a folder of any machine."""
