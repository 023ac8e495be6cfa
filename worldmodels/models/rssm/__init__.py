"""Recurrent state-space models: a world in a recurrent state and a stochastic latent."""
