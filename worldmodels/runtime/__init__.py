"""The one place that knows everybody: builds the parts, loads them from a run, lets an agent act in a world."""
