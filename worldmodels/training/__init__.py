"""The training loops, and the parts of a run around them: folder, checkpoints, records and resumption."""
