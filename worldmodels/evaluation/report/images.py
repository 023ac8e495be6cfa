"""Builds images of images: enlarged, framed, tiled, beside a line of text, and the image of a difference."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

BACKGROUND = (24, 26, 31)
TEXT = (205, 209, 216)
OBSERVED, PREDICTED = (92, 176, 122), (233, 132, 66)
"""The colours of what a model observed, and of what it predicted."""
LINE_HEIGHT, GAP = 20, 14


def tiled(cells: list[np.ndarray], columns: int) -> np.ndarray:
    """Return images uint8 (H, W, 3) of one size as one image, in rows of `columns`."""
    blank = np.broadcast_to(np.array(BACKGROUND, np.uint8), cells[0].shape)
    cells = cells + [blank] * (-len(cells) % columns)
    lines = [np.concatenate(cells[i : i + columns], axis=1) for i in range(0, len(cells), columns)]
    return np.concatenate(lines, axis=0)


def enlarged(image: np.ndarray, scale: int) -> np.ndarray:
    """Return an image uint8 (H, W, 3), or (H, W, 1) in shades of grey, as uint8 (scale H, scale W, 3)."""
    color = np.broadcast_to(image, (*image.shape[:2], 3))
    return color.repeat(scale, axis=0).repeat(scale, axis=1)


def difference_image(truth: np.ndarray, model: np.ndarray) -> np.ndarray:
    """Return the largest difference of the channels, from black over red and yellow to white, uint8 (H, W, 3)."""
    largest = np.abs(truth.astype(np.int16) - model).max(axis=-1)
    image: np.ndarray = np.clip(3 * largest[..., None] - 255 * np.arange(3), 0, 255).astype(np.uint8)
    return image


def framed(image: np.ndarray, width: int, color: tuple[int, int, int]) -> np.ndarray:
    """Return an image uint8 (H, W, 3) with a border of `width` pixels."""
    height, across = image.shape[:2]
    framed = np.empty((height + 2 * width, across + 2 * width, 3), np.uint8)
    framed[:] = color
    framed[width : width + height, width : width + across] = image
    return framed


def text_line(text: str, width: int, color: tuple[int, int, int] = TEXT, left: int = GAP) -> np.ndarray:
    """Return a line of text, uint8 (LINE_HEIGHT, width, 3); what does not fit is cut off."""
    image = Image.new("RGB", (width, LINE_HEIGHT), BACKGROUND)
    ImageDraw.Draw(image).text((left, LINE_HEIGHT / 2 - 2), text, color, ImageFont.load_default(12), anchor="lm")
    return np.asarray(image)
