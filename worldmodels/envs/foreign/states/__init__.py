"""The state of an environment of another package, as a tree that a checkpoint can hold."""
