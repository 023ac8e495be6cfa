"""The player in a browser: a session in a thread, and a server that shows it to those who have its link."""
