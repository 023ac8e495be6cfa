"""The loops that learn, and what makes a run of them: folder, checkpoints, records, resumption."""
