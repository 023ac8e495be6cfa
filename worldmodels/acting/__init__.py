"""Agents act in environments: actors, collectors of steps, random play."""
