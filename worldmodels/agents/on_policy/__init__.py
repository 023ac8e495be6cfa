"""VPG, TRPO and PPO: agents that learn from steps of their current policy."""
