"""The panels of the window: frames, time line, policy, latents, help."""
