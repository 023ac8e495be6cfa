"""Agents act in environments: actors, the generator of steps, random play."""
