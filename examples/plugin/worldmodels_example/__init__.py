"""A world model, an agent and an environment for worldmodels."""
