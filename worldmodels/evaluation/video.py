"""Videos of a world model at work: beside the truth, and a policy's dreams beside what really happened."""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from worldmodels.core.types import Batch
from worldmodels.evaluation.prediction import OpenLoopPrediction
from worldmodels.evaluation.world_model import counting

BACKGROUND = (24, 26, 31)
TEXT = (205, 209, 216)
LOOKING, PREDICTING = (92, 176, 122), (233, 132, 66)
HEADER, FOOTER, GAP, BORDER = 22, 20, 14, 2
TITLES = ("truth", "model", "difference")
DREAM_TITLES = ("really", "in the model")


def prediction_video(made: OpenLoopPrediction, windows: Batch, context: int) -> np.ndarray:
    """uint8 (T, H', W', 3): windows of C + H steps beside what the model made of them.

    Args:
        context: the steps C that it saw; the others it predicted.
    """
    frames = np.concatenate([made.looking[:, :context], made.frames], axis=1)
    return comparison_frames(windows.observation, frames, context)


def dream_video(windows: Batch, dreamt: np.ndarray, context: int, rows: int = 6) -> np.ndarray:
    """uint8 (T, H', W', 3): what followed the first `rows` starts really, and in the dream.

    The actions differ from the first step on, so frames are not to be compared one by one.

    Args:
        windows: of C + H steps, C being `context`.
        dreamt: uint8 (W, H, h, w, c).
    """
    truth = windows.observation[:rows]
    frames = np.concatenate([truth[:, :context], dreamt[:rows]], axis=1)
    return comparison_frames(truth, frames, context, DREAM_TITLES)


def shown_rows(recording: Batch, context: int, most: int) -> np.ndarray:
    """Indices of up to `most` windows, of those first in which no episode ends."""
    whole = counting(recording.is_last, context).all(axis=1)
    return np.argsort(~whole, kind="stable")[:most]


def comparison_frames(
    truth: np.ndarray,
    model: np.ndarray,
    context: int,
    titles: tuple[str, ...] = TITLES,
    columns: int | None = None,
    scale: int = 2,
) -> np.ndarray:
    """uint8 (T, H', W', 3): each pair of sequences as panes side by side, in a grid.

    The model's frame has a green border while it sees the truth and an orange one while it predicts alone; a line
    below says since when.

    Args:
        truth, model: uint8 (B, T, H, W, C), of 3 colours or of 1.
        context: steps at the start of which the model sees the truth.
        titles: of two panes, truth and model, or of three, with their difference.
        columns: pairs beside each other; about as many as there are below each other by default.
        scale: pixels for each pixel of the frames.
    """
    columns = columns or (1 if len(truth) < 4 else 2)
    frames = []
    for t in range(truth.shape[1]):
        color = LOOKING if t < context else PREDICTING
        cells = [_cell(a, b, color, scale, len(titles)) for a, b in zip(truth[:, t], model[:, t], strict=True)]
        body = tiled(cells, columns)
        note = f"seen {t + 1} of {context}" if t < context else f"predicted {t + 1 - context} steps ahead"
        head = _header(body.shape[1], columns, titles)
        frames.append(np.concatenate([head, body, text_line(note, body.shape[1], color)], axis=0))
    return np.stack(frames)


def tiled(cells: list[np.ndarray], columns: int) -> np.ndarray:
    """Images uint8 (H, W, 3) of one size in rows of `columns`."""
    blank = np.broadcast_to(np.array(BACKGROUND, np.uint8), cells[0].shape)
    cells = cells + [blank] * (-len(cells) % columns)
    lines = [np.concatenate(cells[i : i + columns], axis=1) for i in range(0, len(cells), columns)]
    return np.concatenate(lines, axis=0)


def enlarged(image: np.ndarray, scale: int) -> np.ndarray:
    """uint8 (scale H, scale W, 3) of an image (H, W, 3) or, in shades of grey, (H, W, 1)."""
    color = np.broadcast_to(image, (*image.shape[:2], 3))
    return color.repeat(scale, axis=0).repeat(scale, axis=1)


def difference_image(truth: np.ndarray, model: np.ndarray) -> np.ndarray:
    """uint8 (H, W, 3): the largest difference of the channels, from black over red and yellow to white."""
    largest = np.abs(truth.astype(np.int16) - model).max(axis=-1)
    image: np.ndarray = np.clip(3 * largest[..., None] - 255 * np.arange(3), 0, 255).astype(np.uint8)
    return image


def _cell(truth: np.ndarray, model: np.ndarray, color: tuple[int, int, int], scale: int, count: int) -> np.ndarray:
    """The panes of one pair, each with its border, and a gap around."""
    pairs = ((truth, BACKGROUND), (model, color), (difference_image(truth, model), BACKGROUND))
    panes = [framed(framed(enlarged(pane, scale), BORDER, edge), GAP // 7, BACKGROUND) for pane, edge in pairs[:count]]
    return framed(np.concatenate(panes, axis=1), GAP // 2, BACKGROUND)


def framed(image: np.ndarray, width: int, color: tuple[int, int, int]) -> np.ndarray:
    """An image uint8 (H, W, 3) with a border of `width` pixels."""
    height, across = image.shape[:2]
    framed = np.empty((height + 2 * width, across + 2 * width, 3), np.uint8)
    framed[:] = color
    framed[width : width + height, width : width + across] = image
    return framed


@cache
def _header(width: int, columns: int, titles: tuple[str, ...]) -> np.ndarray:
    image = Image.new("RGB", (width, HEADER), BACKGROUND)
    draw = ImageDraw.Draw(image)
    for index, title in enumerate(titles * columns):
        place = (width * (2 * index + 1) / (2 * len(titles) * columns), HEADER / 2 + 2)
        draw.text(place, title, TEXT, ImageFont.load_default(13), anchor="mm")
    return np.asarray(image)


def text_line(text: str, width: int, color: tuple[int, int, int] = TEXT, left: int = GAP) -> np.ndarray:
    """uint8 (FOOTER, width, 3): a line of text; what does not fit is cut off."""
    image = Image.new("RGB", (width, FOOTER), BACKGROUND)
    ImageDraw.Draw(image).text((left, FOOTER / 2 - 2), text, color, ImageFont.load_default(12), anchor="lm")
    return np.asarray(image)
