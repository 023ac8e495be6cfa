"""Recurrent state-space models keep a recurrent state and a stochastic latent."""
