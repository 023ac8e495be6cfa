"""The C++ tree of the games. Only `worldmodels.envs.batch` imports what is compiled from it."""
