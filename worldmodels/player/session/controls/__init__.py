"""Keys, gamepads and files of keys, as commands and actions of a session."""
