"""Next-frame models predict the next frame from the last frames and an action (SimPLe, Kaiser et al. 2019)."""
