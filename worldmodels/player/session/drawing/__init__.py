"""Drawing on the real frame, so that a model goes on from a moment that never was."""
