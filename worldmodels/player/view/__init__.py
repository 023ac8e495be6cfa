"""The window, its pictures and the files that keep them, drawn with pygame from snapshots."""
