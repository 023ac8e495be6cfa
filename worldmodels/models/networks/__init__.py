"""The layers and networks that world models are built from."""
