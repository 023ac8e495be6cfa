"""The episodes of a run's experience, as worlds of a session and as a list to choose from."""
