"""Models copy pixels of the frame before along motions of the picture."""
