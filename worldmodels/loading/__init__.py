"""The parts of a run, built from its configuration or loaded from its folder."""
