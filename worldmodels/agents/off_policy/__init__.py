"""DDPG, TD3 and SAC: agents that learn from single steps of any age."""
