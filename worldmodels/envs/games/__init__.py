"""Native games as Gymnasium environments."""
