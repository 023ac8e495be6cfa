"""The parts of a scene that a snapshot gives: each pane of the window as texts, shares of bars and names of frames.

Shares are whole thousandths of a bar's length, so that a page computes nothing and little is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pygame

from worldmodels.player.session.controls.key_table import OF_BUTTONS, LatentCommand
from worldmodels.player.session.episodes.episodes_snapshot import EpisodesSnapshot
from worldmodels.player.session.latents.latents_snapshot import DrawingSnapshot, LatentsSnapshot
from worldmodels.player.session.snapshot import (
    DIVERGENCE_ERROR,
    BoxPanel,
    BranchesSnapshot,
    PolicyPanel,
    Snapshot,
    TimelineEntry,
    plain,
)
from worldmodels.player.session.worlds.frames import Frame, Ranges
from worldmodels.player.view import theme
from worldmodels.player.view.panels.bars import Bar, BarRow, bar_span, number_text, position, value_rows
from worldmodels.player.view.panels.columns import Column, columns_of, in_colour, reality
from worldmodels.player.view.panels.episodes_panel import row_texts, rows_around
from worldmodels.player.view.panels.header import facts, totals
from worldmodels.player.view.panels.latent_texts import (
    command_text,
    is_known,
    likely_rows,
    probability_map,
    reading_texts,
    source_map,
    source_rows,
)
from worldmodels.player.view.panels.latent_texts import facts as latent_facts
from worldmodels.player.view.panels.timeline import FULL_ERROR, error_name, scale_end
from worldmodels.player.web.guide_parts import hex_colour

THOUSAND = pygame.Rect(0, 0, 1001, 1)
"""A bar as long as there are shares."""
MARKS = {"": 0, "put back": 1, "episode": 2}
HUNDRED = 100
EPISODE_LINES = 15
"""Lines of the list of episodes that a page shows."""


def parts_of(snapshot: Snapshot, source: str, latency: str, signs: tuple[str, ...]) -> dict[str, Any]:
    """Return the parts that change; the frames of columns and branches are named "column 0" and "branch 0" and so on.

    Args:
        source: the run of the model, for people.
        latency: says how fast pictures follow keys; may be empty.
        signs: a character or two for each action.
    """
    columns = shown_columns(snapshot)
    return {
        "header": _header(snapshot, source, latency),
        "columns": [_column(column, i) for i, column in enumerate(columns)],
        "branches": _branches(snapshot.branches, snapshot.ranges) if snapshot.branches else None,
        "policy": _policy(snapshot.policy_panel, signs) if snapshot.policy_panel and not snapshot.box_panel else None,
        "box": _box(snapshot.box_panel) if snapshot.box_panel else None,
        "settings": {"rows": snapshot.settings, "chosen": snapshot.chosen},
        "timeline": [_timeline(entry) for entry in snapshot.history] if snapshot.has_columns else None,
        "alone": not snapshot.has_columns,
        "error": _error_row(snapshot),
        "later": max(0, len(snapshot.history) - 1 - snapshot.present) if snapshot.present >= 0 else 0,
        "length": snapshot.line_length,
        "help": snapshot.help_shown,
        "pulse": _pulse(snapshot),
        "drawing": snapshot.drawing is not None,
        "info": snapshot.info or None,
        "episodes": _episodes(snapshot.episodes) if snapshot.episodes else None,
        "latents": latents_part(snapshot.latents) if snapshot.latents else None,
    }


def _pulse(snapshot: Snapshot) -> list[Any] | None:
    """Return what a person feels of the newest step, "reward" or "harm", with the step's number; mostly nothing."""
    reward, over = snapshot.real.reward, snapshot.clock == "episode over"
    if snapshot.recorded and snapshot.recorded.left:
        return None
    kind = "harm" if reward < 0 or (over and reward <= 0) else "reward" if reward > 0 else ""
    return [kind, snapshot.episode, snapshot.step] if kind else None


def _error_row(snapshot: Snapshot) -> dict[str, Any] | None:
    """Return the name of the time line's error, the ends of its scale, and the share from which on a model is far off.

    There is none without a model, or without reality.
    """
    if snapshot.alone or not snapshot.has_columns:
        return None
    of_images = not snapshot.models or snapshot.models[0].frame is not None
    scale = ("0", scale_end(of_images))
    return {"name": error_name(of_images), "scale": scale, "far": DIVERGENCE_ERROR / FULL_ERROR}


def frames_of(snapshot: Snapshot) -> Mapping[str, Frame]:
    """Return the frames that are shown, uint8 (H, W, 3), by their names; the map of latents is one, too."""
    if snapshot.branches:
        found = {f"branch {i}": branch.frame for i, branch in enumerate(snapshot.branches.branches)}
    else:
        found = {f"column {i}": column.frame for i, column in enumerate(shown_columns(snapshot))}
    if snapshot.latents and snapshot.latents.classes:
        found["latents"] = probability_map(snapshot.latents)
    elif snapshot.latents and snapshot.latents.drawing:
        found["latents"] = drawing_strip(snapshot.latents.drawing)
    return {name: in_colour(frame) for name, frame in found.items() if frame is not None}


def shown_columns(snapshot: Snapshot) -> list[Column]:
    """Return the columns of a snapshot, also of a game alone."""
    return columns_of(snapshot) if snapshot.has_columns else [reality(snapshot)]


def _header(snapshot: Snapshot, source: str, latency: str) -> dict[str, Any]:
    return {
        "title": snapshot.title,
        "clock": snapshot.clock,
        "branches": snapshot.branches is not None,
        "player": snapshot.player,
        "notice": snapshot.notice,
        "source": source,
        "facts": facts(snapshot),
        "totals": "   ·   ".join(text for text in (totals(snapshot), latency) if text),
    }


def _column(column: Column, number: int) -> dict[str, Any]:
    return {
        "name": column.name,
        "colour": hex_colour(column.colour),
        "frame": None if column.frame is None else f"column {number}",
        "total": column.total,
        "reward": column.reward,
        "note": column.note,
        "end": column.end,
        "ended": column.ended,
        "error": None if column.error is None else f"{column.error:.1f}",
        "rows": [_row(row) for row in column.rows],
        **({"wait": column.wait} if column.wait else {}),
        **({"hand": hex_colour(column.colour_in_hand)} if column.colour_in_hand else {}),
    }


def _row(row: BarRow) -> dict[str, Any]:
    return {"name": row.name, "zero": _zero(row), "bars": [_bar(row, bar) for bar in row.bars]}


def _bar(row: BarRow, bar: Bar) -> dict[str, Any]:
    ends = [position(row, bar.value + sign * bar.spread, THOUSAND) for sign in (-1, 1)]
    return {
        "span": bar_span(row, bar.value, THOUSAND),
        "colour": hex_colour(bar.colour),
        "text": number_text(bar.value),
        "spread": ends if bar.spread else None,
    }


def _zero(row: BarRow) -> int | None:
    """Return the place of 0 within a row; None if 0 is outside."""
    return position(row, 0.0, THOUSAND) if row.low < 0 < row.high else None


def _branches(branches: BranchesSnapshot, ranges: Ranges) -> list[dict[str, Any]]:
    return [
        {
            "label": branch.label,
            "frame": None if branch.frame is None else f"branch {i}",
            "total": theme.signed(branch.branch_return, 1),
            "ended": branch.survival < 0.5,
            "rows": [_row(row) for row in value_rows(ranges, [(branch.vectors, theme.MODEL)])],
        }
        for i, branch in enumerate(branches.branches)
    ]


def _policy(panel: PolicyPanel, signs: tuple[str, ...]) -> dict[str, Any]:
    return {
        "value": _value(panel.value),
        "bars": [[sign, round(1000 * share)] for sign, share in zip(signs, panel.probabilities, strict=True)],
    }


def _box(panel: BoxPanel) -> dict[str, Any]:
    rows = [
        BarRow(name, (Bar(value, theme.TEXT),), low, high)
        for name, value, low, high in zip(panel.names, panel.values, panel.low, panel.high, strict=True)
    ]
    choice = panel.choice or [None] * len(rows)
    return {
        "value": _value(panel.value),
        "slider": panel.slider,
        "rows": [
            {
                **_row(row),
                "keys": panel.keys[i] if i < len(panel.keys) else "",
                "choice": None if chosen is None else position(row, chosen, THOUSAND),
            }
            for i, (row, chosen) in enumerate(zip(rows, choice, strict=True))
        ],
    }


def _value(value: float | None) -> str:
    return "" if value is None else plain(value, 2)


def _episodes(snapshot: EpisodesSnapshot) -> dict[str, Any]:
    """Return the lines of the list around the chosen one, each with its number in the list and its texts."""
    lines = rows_around(snapshot, EPISODE_LINES)
    rows = [[line, *row_texts(snapshot, line)] for line in lines]
    return {"order": snapshot.order, "rows": rows, "chosen": snapshot.chosen}


def _timeline(entry: TimelineEntry) -> list[Any]:
    """Return mark, divergence, level of the real reward, and for each model its error and continuation in hundredths.

    The error of a model's reconstruction follows, or null, and the level of its reward.
    """
    models = [
        [
            _hundredths(forecast.image_error / FULL_ERROR),
            _hundredths(forecast.continuation),
            None if forecast.reconstruction_error is None else _hundredths(forecast.reconstruction_error / FULL_ERROR),
            _level(forecast.reward),
        ]
        for forecast in entry.models
    ]
    return [MARKS[entry.mark], int(entry.diverged), _level(entry.real_reward), models]


def _hundredths(share: float) -> int:
    return round(HUNDRED * min(1.0, max(0.0, share)))


def _level(reward: float) -> int:
    """Return 0 for a reward that rounds to nothing, 1 or -1 for a small one, 2 or -2 for a large one."""
    size = 0 if abs(reward) < 0.05 else 1 if abs(reward) < 0.5 else 2
    return size if reward > 0 else -size


def latents_part(snapshot: LatentsSnapshot) -> dict[str, Any]:
    """Return the inside of a model as a part; its probabilities are the frame "latents", a row for each group.

    The part holds facts, classes, the likeliest ones of the chosen group as shares of a thousand, readings and buttons.
    """
    return {
        "facts": latent_facts(snapshot),
        "classes": snapshot.classes,
        "held": [held >= 0 for held in snapshot.held],
        "chosen": snapshot.chosen,
        "likely": [_likely(row, snapshot) for row in likely_rows(snapshot)] if snapshot.classes else _sources(snapshot),
        "readings": [
            {"name": each.name, "unit": each.unit, "texts": reading_texts(each), "known": is_known(each)}
            for each in snapshot.readings
        ],
        "words": [text for text in (snapshot.why_no_latents, snapshot.why_no_readings) if text],
        "buttons": [_button(command, snapshot) for command in OF_BUTTONS],
    }


def _likely(row: BarRow, snapshot: LatentsSnapshot) -> dict[str, Any]:
    own = row.name == f"class {snapshot.classes[snapshot.chosen]}"
    return {"name": row.name, "share": round(1000 * row.bars[0].value), "own": own}


def _sources(snapshot: LatentsSnapshot) -> list[dict[str, Any]]:
    """Return the pictures from which a frame was drawn, in the form of the likeliest classes, with their colours."""
    rows = source_rows(snapshot.drawing) if snapshot.drawing else ()
    return [
        {
            "name": row.name,
            "share": round(10 * row.bars[0].value),
            "own": False,
            "colour": hex_colour(row.bars[0].colour),
        }
        for row in rows
    ]


def drawing_strip(drawing: DrawingSnapshot) -> Frame:
    """Return the frame that each call predicts, and the origin of each pixel, side by side with narrow gaps."""
    pictures = [*map(in_colour, drawing.stages), source_map(drawing)]
    gap = np.full((pictures[0].shape[0], max(1, pictures[0].shape[1] // 16), 3), theme.CARD, np.uint8)
    strip: Frame = np.concatenate([part for picture in pictures for part in (picture, gap)][:-1], 1)
    return strip


def _button(command: LatentCommand, snapshot: LatentsSnapshot) -> dict[str, Any]:
    """Return the text of a button, and whether it does anything now."""
    does = bool(snapshot.classes) and (command is not LatentCommand.PASTE or snapshot.copied)
    return {"text": command_text(command, snapshot), "enabled": does}
