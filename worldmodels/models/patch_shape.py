"""Sizes of a grid of patches that covers an image are computed without TensorFlow."""

from __future__ import annotations


def grid_shape(observation_shape: tuple[int, int, int], patch: int) -> tuple[int, int]:
    """Return rows and columns of patches with sides of at most `patch`, an even number."""
    return -(-observation_shape[0] // patch), -(-observation_shape[1] // patch)


def patch_side(observation_shape: tuple[int, int, int], grid: tuple[int, int]) -> int:
    """Return the least even side of patches with which the grid covers the image."""
    side = max(-(-pixels // count) for pixels, count in zip(observation_shape, grid, strict=False))
    return side + side % 2
