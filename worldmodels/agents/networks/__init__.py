"""Networks of agents: features of any kind to a vector, and the heads on it."""
