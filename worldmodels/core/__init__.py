"""Every other package stands on configuration, run folders, checkpoints, seeding and shared types; no TensorFlow."""
