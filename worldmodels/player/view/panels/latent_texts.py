"""The inside of a model as texts, bars and colours, for the window and the browser alike."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt

from worldmodels.player.session.controls.key_table import OF_BUTTONS, Command, KeyTable, LatentCommand
from worldmodels.player.session.latents.latents_snapshot import DrawingSnapshot, LatentsSnapshot, Reading
from worldmodels.player.session.worlds.frames import Frame
from worldmodels.player.view import theme
from worldmodels.player.view.colour_maps import COLOUR_MAP
from worldmodels.player.view.panels.bars import Bar, BarRow, number_text
from worldmodels.player.view.theme import QUIET

MOST_CLASSES = 12
KNOWN = 0.3
"""The explained share of variance below which a variable's reading is only a guess."""


def facts(snapshot: LatentsSnapshot) -> list[tuple[str, str]]:
    """Return the facts about the step, as names and values."""
    found = [("inside", snapshot.model), ("this step", snapshot.origin)]
    if snapshot.classes:
        found.append(("sure of", f"{snapshot.sure} of {len(snapshot.classes)} groups"))
        found.append(("open", f"{snapshot.open_bits:.1f} bits"))
        found.append(("group", f"{snapshot.chosen + 1}, class {snapshot.classes[snapshot.chosen]}"))
        if snapshot.held[snapshot.chosen] >= 0:
            found.append(("held at", f"{snapshot.held[snapshot.chosen]}"))
    if snapshot.drawing:
        found += [("latents", "none"), ("calls of the network", str(len(snapshot.drawing.stages)))]
    return found


def key_hints(snapshot: LatentsSnapshot, keys: KeyTable) -> list[tuple[str, str]]:
    """Return the keys of the pane and their present commands; keys of groups only if there are groups."""
    close = (keys.label(Command.LATENTS), "close")
    if not snapshot.classes:
        return [close]
    moves = (LatentCommand.PREVIOUS, LatentCommand.NEXT)
    shown = [command for command in keys.latents if command not in moves and _makes_sense(command, snapshot)]
    hints = [(keys.label(command), command_text(command, snapshot)) for command in shown]
    return [(" ".join(map(keys.label, moves)), "group"), *hints, close]


def command_text(command: LatentCommand, snapshot: LatentsSnapshot) -> str:
    """Return the present meaning of a command, in a word or two."""
    lets_go = command is LatentCommand.HOLD and snapshot.classes and snapshot.held[snapshot.chosen] >= 0
    return "let go" if lets_go else command.value


def _makes_sense(command: LatentCommand, snapshot: LatentsSnapshot) -> bool:
    return command in OF_BUTTONS and (command is not LatentCommand.PASTE or snapshot.copied)


def probability_map(snapshot: LatentsSnapshot) -> Frame:
    """Return the probabilities as colours, uint8 (G, K, 3); small ones are spread out, half way up stands a quarter."""
    colours: Frame = COLOUR_MAP[(255 * np.sqrt(snapshot.probabilities)).round().astype(np.uint8)]
    return colours


def likely_rows(snapshot: LatentsSnapshot) -> tuple[BarRow, ...]:
    """Return the likeliest classes of the chosen group with their probabilities, and its own class in any case."""
    own, probabilities = snapshot.classes[snapshot.chosen], snapshot.probabilities[snapshot.chosen]
    order = np.argsort(-probabilities, kind="stable")[:MOST_CLASSES].tolist()
    shown = order if own in order else [own, *order[:-1]]
    return tuple(
        BarRow(f"class {k}", (Bar(float(probabilities[k]), theme.MODEL if k == own else QUIET),), 0.0, 1.0)
        for k in shown
    )


def source_rows(drawing: DrawingSnapshot) -> tuple[BarRow, ...]:
    """Return the mean share of each picture from which the frame was drawn, in percent."""
    shares = drawing.shares.mean((0, 1))
    return tuple(
        BarRow(source_name(shift), (Bar(100.0 * float(share), colour),), 0.0, 100.0)
        for shift, share, colour in zip(drawing.shifts, shares, _source_colours(drawing), strict=True)
    )


def source_name(shift: npt.NDArray[np.float32]) -> str:
    """Return the name of a picture by its shift in pixels, down and right; NaN is the painted one."""
    if np.isnan(shift).any():
        return "painted"
    if not shift.any():
        return "last frame"
    down, right = (round(float(pixels), 1) for pixels in shift)
    arrows = [("↓" if down > 0 else "↑", down), ("→" if right > 0 else "←", right)]
    return " ".join(f"{arrow} {abs(pixels):g}" for arrow, pixels in arrows if pixels) or "moved by 0"


def source_map(drawing: DrawingSnapshot) -> Frame:
    """Return the origin of each pixel as a colour, uint8 (H, W, 3): the mean of its pictures' colours."""
    colours = np.array(_source_colours(drawing), np.float32)
    mixed: Frame = (drawing.shares @ colours).round().clip(0, 255).astype(np.uint8)
    return mixed


def _source_colours(drawing: DrawingSnapshot) -> list[theme.Colour]:
    """Return a colour for each picture: grey for the last frame, orange for the painted one, others for motions."""
    motions, known = itertools.cycle(theme.MOTIONS), {"last frame": QUIET, "painted": theme.MODEL}
    return [known.get(source_name(shift)) or next(motions) for shift in drawing.shifts]


def reading_texts(reading: Reading) -> tuple[str, str, str, str]:
    """Return the true value, the readings of both states, and the share of the variance that the probe explains."""
    known = f"{max(0.0, reading.explained):.0%}"
    return _number(reading.truth), _number(reading.seen), _number(reading.imagined), known


def is_known(reading: Reading) -> bool:
    """Return whether a variable has a reading, and the reading is more than a guess."""
    absent = reading.truth is not None and math.isnan(reading.truth)
    return reading.explained >= KNOWN and not absent


def _number(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else number_text(value)
