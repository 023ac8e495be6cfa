"""Next-frame models (SimPLe, Kaiser et al. 2019): from the last frames and an action to the next frame."""
