"""Files of a run: written beside the old one and renamed, checked when they are read."""
