"""Videos of a world model at work: the truth, the model and their difference side by side."""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from worldmodels.core.types import Batch
from worldmodels.evaluation.world_model import counting, predict
from worldmodels.models.api import WorldModel

BACKGROUND = (24, 26, 31)
TEXT = (205, 209, 216)
LOOKING, PREDICTING = (92, 176, 122), (233, 132, 66)
HEADER, FOOTER, GAP, BORDER = 22, 20, 14, 2
TITLES = ("truth", "model", "difference")


def prediction_video(
    model: WorldModel, recording: Batch, context: int, key: np.ndarray, temperature: float = 1.0, rows: int = 6
) -> np.ndarray:
    """uint8 (T, H', W', 3): up to `rows` recorded windows, which the model sees for `context` frames and then predicts.

    Windows in which no episode ends come first.

    Args:
        recording: W windows of T steps.
        key: int32 (2,), of all samples.
    """
    whole = counting(recording.is_last, context).all(axis=1)
    chosen = np.argsort(~whole, kind="stable")[:rows]
    windows = Batch._make(values[chosen] for values in recording)
    made = predict(model, windows, context, key, temperature)
    frames = np.concatenate([made.looking[:, :context], made.frames], axis=1)
    return comparison_frames(windows.observation, frames, context)


def comparison_frames(
    truth: np.ndarray, model: np.ndarray, context: int, columns: int | None = None, scale: int = 2
) -> np.ndarray:
    """uint8 (T, H', W', 3): each pair of sequences as `truth | model | difference`, in a grid.

    The model's frame has a green border while it sees the truth and an orange one while it predicts alone; a line
    below says since when.

    Args:
        truth, model: uint8 (B, T, H, W, 3).
        context: steps at the start of which the model sees the truth.
        columns: pairs beside each other; about as many as there are below each other by default.
        scale: pixels for each pixel of the frames.
    """
    columns = columns or (1 if len(truth) < 4 else 2)
    frames = []
    for t in range(truth.shape[1]):
        color = LOOKING if t < context else PREDICTING
        cells = [_cell(a, b, color, scale) for a, b in zip(truth[:, t], model[:, t], strict=True)]
        blank = np.broadcast_to(np.array(BACKGROUND, np.uint8), cells[0].shape)
        cells += [blank] * (-len(cells) % columns)
        lines = [np.concatenate(cells[i : i + columns], axis=1) for i in range(0, len(cells), columns)]
        body = np.concatenate(lines, axis=0)
        note = f"seen {t + 1} of {context}" if t < context else f"predicted {t + 1 - context} steps ahead"
        head = _header(body.shape[1], columns)
        frames.append(np.concatenate([head, body, _text_line(note, body.shape[1], color)], axis=0))
    return np.stack(frames)


def difference_image(truth: np.ndarray, model: np.ndarray) -> np.ndarray:
    """uint8 (H, W, 3): the largest difference of the channels, from black over red and yellow to white."""
    largest = np.abs(truth.astype(np.int16) - model).max(axis=-1)
    image: np.ndarray = np.clip(3 * largest[..., None] - 255 * np.arange(3), 0, 255).astype(np.uint8)
    return image


def _cell(truth: np.ndarray, model: np.ndarray, color: tuple[int, int, int], scale: int) -> np.ndarray:
    """The three panes of one pair, each with its border, and a gap around."""
    panes = []
    for pane, border in ((truth, BACKGROUND), (model, color), (difference_image(truth, model), BACKGROUND)):
        large = pane.repeat(scale, axis=0).repeat(scale, axis=1)
        panes.append(_framed(_framed(large, BORDER, border), GAP // 7, BACKGROUND))
    return _framed(np.concatenate(panes, axis=1), GAP // 2, BACKGROUND)


def _framed(image: np.ndarray, width: int, color: tuple[int, int, int]) -> np.ndarray:
    height, across = image.shape[:2]
    framed = np.empty((height + 2 * width, across + 2 * width, 3), np.uint8)
    framed[:] = color
    framed[width : width + height, width : width + across] = image
    return framed


@cache
def _header(width: int, columns: int) -> np.ndarray:
    image = Image.new("RGB", (width, HEADER), BACKGROUND)
    draw = ImageDraw.Draw(image)
    for index, title in enumerate(TITLES * columns):
        place = (width * (2 * index + 1) / (6 * columns), HEADER / 2 + 2)
        draw.text(place, title, TEXT, ImageFont.load_default(13), anchor="mm")
    return np.asarray(image)


def _text_line(text: str, width: int, color: tuple[int, int, int]) -> np.ndarray:
    image = Image.new("RGB", (width, FOOTER), BACKGROUND)
    ImageDraw.Draw(image).text((GAP, FOOTER / 2 - 2), text, color, ImageFont.load_default(12), anchor="lm")
    return np.asarray(image)
