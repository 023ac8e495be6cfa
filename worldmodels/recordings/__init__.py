"""Writes, reads and replays recordings of actions; records steps as data sets."""
