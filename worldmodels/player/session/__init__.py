"""The logic of playing, from key events to snapshots; nothing here imports pygame."""
