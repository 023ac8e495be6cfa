"""The player in a browser: a session in a thread, and a server that shows the session to everyone with its link."""
