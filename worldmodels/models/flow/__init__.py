"""A flow model draws the next frame as a sample: from noise, along a straight path, over what motion carries along."""
