"""The worlds of a session: the real one and learned ones."""
