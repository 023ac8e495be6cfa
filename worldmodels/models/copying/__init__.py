"""Motions and patches of images, for models that copy pixels of the frame before."""
