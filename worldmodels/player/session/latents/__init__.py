"""The latents of a model's newest step: shown, held and drawn again."""
