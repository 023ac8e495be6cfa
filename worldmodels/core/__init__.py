"""What every other package stands on: configuration, run folders, checkpoints, seeding, shared types. No TensorFlow."""
