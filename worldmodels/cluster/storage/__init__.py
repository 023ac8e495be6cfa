"""Runs that live behind an address, s3://bucket/folder, and are trained in folders of whichever machine has them."""
