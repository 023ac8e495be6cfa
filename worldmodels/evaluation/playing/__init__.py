"""Plays episodes in the real environment: returns, no-ops, the planner as a player."""
