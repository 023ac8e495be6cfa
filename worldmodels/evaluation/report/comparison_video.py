"""Makes videos of a world model beside the truth, and of a policy in it beside the same policy in reality.

One letter per axis: W windows, T = C + H steps, of which C, the context, are observed and H predicted.

Builds images of images: enlarged, framed, tiled, beside a line of text, and the image of a difference.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from worldmodels.core.types import Batch
from worldmodels.evaluation.predictions.model_errors import counting

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


def colours_note(channels: int) -> str:
    """Return which of an image's channels `enlarged` shows, in a few words; "" for 3 colours or shades of grey."""
    if channels in (1, 3):
        return ""
    return "mean of 2 channels" if channels == 2 else f"channels 1 to 3 of {channels}"


def enlarged(image: np.ndarray, scale: int) -> np.ndarray:
    """Return an image uint8 (H, W, C) as uint8 (scale H, scale W, 3): its first three channels.

    An image of one channel is in shades of grey, and an image of two shows their mean.
    """
    few = image if image.shape[-1] != 2 else image.mean(-1, keepdims=True).astype(np.uint8)
    color = np.broadcast_to(few[..., :3], (*image.shape[:2], 3))
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


HEADER, BORDER = 22, 2
SCALE = 2
"""Pixels for each pixel of the frames."""
TITLES = ("truth", "model", "difference")
PLAY_TITLES = ("really", "in the model")


def prediction_video(
    predicted: np.ndarray, truth: np.ndarray, context: int, reconstruction: np.ndarray | None = None
) -> np.ndarray:
    """Return windows beside what the model predicted of them, uint8 (T, H', W', 3).

    Args:
        predicted: uint8 (W, H, h, w, c), the predicted frames.
        truth: uint8 (W, T, h, w, c), the frames of the windows.
        context: the steps C that the model observed.
        reconstruction: uint8 (W, T, h, w, c), the model's images of the frames that it observes, if it has any.
    """
    observed = truth if reconstruction is None else reconstruction
    frames = np.concatenate([observed[:, :context], predicted], axis=1)
    return comparison_frames(truth, frames, context)


def imagined_video(predicted: np.ndarray, truth: np.ndarray, context: int, rows: int = 6) -> np.ndarray:
    """Return what followed the first `rows` starts really, and in the model, uint8 (T, H', W', 3).

    The actions differ from the first step on, so frames are not to be compared one by one.

    Args:
        predicted: uint8 (W, H, h, w, c), the frames in the model.
        truth: uint8 (W, T, h, w, c), the frames of the windows.
        context: the steps C that the model observed.
    """
    truth = truth[:rows]
    frames = np.concatenate([truth[:, :context], predicted[:rows]], axis=1)
    return comparison_frames(truth, frames, context, PLAY_TITLES)


def video_rows(windows: Batch, context: int, most: int) -> np.ndarray:
    """Return the indices of up to `most` windows, of those first in which no episode ends."""
    whole = counting(windows.is_last, context).all(axis=1)
    return np.argsort(~whole, kind="stable")[:most]


def comparison_frames(
    truth: np.ndarray, model: np.ndarray, context: int, titles: tuple[str, ...] = TITLES
) -> np.ndarray:
    """Return each pair of sequences as panes side by side, in a grid, uint8 (T, H', W', 3).

    The model's frame has a green border while it observes the truth and an orange one while it predicts; a line
    below says since when.

    Args:
        truth, model: uint8 (B, T, H, W, C). A line of text says which channels are shown, if there are others.
        context: steps at the start that the model observes.
        titles: of two panes, truth and model, or of three, with their difference.
    """
    columns, colours = 1 if len(truth) < 4 else 2, colours_note(truth.shape[-1])
    shown = f" ({colours})" if colours else ""
    frames = []
    for t in range(truth.shape[1]):
        color = OBSERVED if t < context else PREDICTED
        cells = [_cell(a, b, color, len(titles)) for a, b in zip(truth[:, t], model[:, t], strict=True)]
        body = tiled(cells, columns)
        note = f"observed {t + 1} of {context}" if t < context else f"predicted {t + 1 - context} steps ahead"
        note += shown
        head = _header(body.shape[1], columns, titles)
        frames.append(np.concatenate([head, body, text_line(note, body.shape[1], color)], axis=0))
    return np.stack(frames)


def _cell(truth: np.ndarray, model: np.ndarray, color: tuple[int, int, int], count: int) -> np.ndarray:
    """Return the panes of one pair, each with its border, and a gap around."""
    pairs = ((truth, BACKGROUND), (model, color), (difference_image(truth, model), BACKGROUND))
    panes = [framed(framed(enlarged(pane, SCALE), BORDER, edge), GAP // 7, BACKGROUND) for pane, edge in pairs[:count]]
    return framed(np.concatenate(panes, axis=1), GAP // 2, BACKGROUND)


@cache
def _header(width: int, columns: int, titles: tuple[str, ...]) -> np.ndarray:
    image = Image.new("RGB", (width, HEADER), BACKGROUND)
    draw = ImageDraw.Draw(image)
    for index, title in enumerate(titles * columns):
        place = (width * (2 * index + 1) / (2 * len(titles) * columns), HEADER / 2 + 2)
        draw.text(place, title, TEXT, ImageFont.load_default(13), anchor="mm")
    return np.asarray(image)
