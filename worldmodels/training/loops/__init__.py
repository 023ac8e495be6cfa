"""The loops of learning: with a world model, on-policy and off-policy."""
