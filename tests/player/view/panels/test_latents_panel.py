"""The pane of a model's inside: what it says, and that it is drawn at any size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pygame
import pytest
from drawn import recording
from keys import tap
from tiny_worlds import LatentModel

from worldmodels.player.session.controls.key_table import DEFAULT_KEYS
from worldmodels.player.session.latents.latents_snapshot import DrawingSnapshot, LatentsSnapshot, Reading
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.capture import pixels
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.panels.help_screen import make_guide
from worldmodels.player.view.panels.latent_texts import (
    facts,
    is_known,
    key_hints,
    likely_rows,
    probability_map,
    reading_texts,
    source_map,
    source_name,
    source_rows,
)
from worldmodels.player.view.panels.latents_panel import draw_latents

NAN = float("nan")
SAW = Reading("saw.dx", "cells", 0.68, imagined=2.891, seen=2.2, truth=5.36)
SNAPSHOT = LatentsSnapshot(
    model="Model",
    origin="drawn",
    probabilities=np.float32([[1.0, 0.0, 0.0], [0.25, 0.5, 0.25]]),
    classes=(0, 2),
    held=(-1, 2),
    chosen=1,
    copied=False,
    why_no_latents="",
    readings=(SAW,),
    why_no_readings="",
)
EMPTY = replace(
    SNAPSHOT,
    probabilities=np.zeros((0, 1), np.float32),
    classes=(),
    held=(),
    why_no_latents="none here",
    readings=(),
    why_no_readings="no probes",
)
DRAWING = DrawingSnapshot(
    stages=np.stack([np.full((4, 6, 3), colour, np.uint8) for colour in (50, 100, 200)]),
    shares=np.broadcast_to(np.float32([0.5, 0.25, 0.0, 0.25]), (4, 6, 4)).copy(),
    shifts=np.float32([[0, 0], [-0.04, 1.26], [3, -2], [NAN, NAN]]),
)
"""Three calls; half of each pixel is the last frame, a quarter carried to the right, a quarter painted."""
DRAWN = replace(EMPTY, drawing=DRAWING, why_no_latents="none here")


def test_the_facts_of_a_step():
    assert facts(SNAPSHOT) == [
        ("inside", "Model"),
        ("this step", "drawn"),
        ("sure of", "1 of 2 groups"),
        ("open", "1.5 bits"),
        ("group", "2, class 2"),
        ("held at", "2"),
    ]
    assert facts(EMPTY) == [("inside", "Model"), ("this step", "drawn")]
    assert facts(DRAWN)[2:] == [("latents", "none"), ("calls of the network", "3")]


def test_keys_say_what_they_do_now():
    told = dict(key_hints(SNAPSHOT, DEFAULT_KEYS))
    assert (told["G"], told["M"]) == ("let go", "close")
    assert "F4" not in told
    told = dict(key_hints(replace(SNAPSHOT, chosen=0, copied=True), DEFAULT_KEYS))
    assert (told["G"], told["F4"]) == ("hold", "paste all")
    assert key_hints(EMPTY, DEFAULT_KEYS) == [("M", "close")]


def test_the_chosen_group_has_its_likeliest_classes_and_its_own():
    rows = likely_rows(SNAPSHOT)
    assert [row.name for row in rows] == ["class 1", "class 0", "class 2"]
    assert [row.bars[0].value for row in rows] == [0.5, 0.25, 0.25]
    assert [row.bars[0].colour for row in rows] == [theme.QUIET, theme.QUIET, theme.MODEL]
    many = replace(SNAPSHOT, probabilities=np.full((2, 40), 1 / 40, np.float32), classes=(0, 33))
    assert [row.name for row in likely_rows(many)] == ["class 33", *(f"class {k}" for k in range(11))]


def test_brightness_rises_with_probability():
    shown = probability_map(SNAPSHOT).astype(int).sum(-1)
    assert shown.shape == (2, 3)
    assert shown[0, 0] > shown[1, 1] > shown[1, 0] > shown[0, 1]


def test_readings_as_texts():
    assert reading_texts(SAW) == ("5.36", "2.20", "2.89", "68%")
    absent = Reading("walker.dx", "cells", 0.5, imagined=1.0, seen=None, truth=NAN)
    assert reading_texts(absent) == ("–", "–", "1.00", "50%")
    assert reading_texts(replace(SAW, explained=-0.2))[-1] == "0%"


@pytest.mark.parametrize(
    ("reading", "known"),
    [
        (SAW, True),
        (replace(SAW, truth=None), True),
        (replace(SAW, explained=0.29), False),
        (replace(SAW, truth=NAN), False),
    ],
)
def test_what_is_not_there_or_badly_read_is_no_knowledge(reading, known):
    assert is_known(reading) is known


@pytest.mark.parametrize("size", [(1, 1), (150, 90), (280, 280), (620, 172), (1240, 330)])
@pytest.mark.parametrize("snapshot", [SNAPSHOT, EMPTY, replace(SNAPSHOT, readings=(SAW,) * 40), DRAWN])
def test_it_is_drawn_at_any_size(size, snapshot):
    surface = pygame.Surface(size)
    draw_latents(Canvas(surface), surface.get_rect(), snapshot, DEFAULT_KEYS)
    assert pixels(surface).shape == (size[1], size[0], 3)


def test_the_pictures_from_which_a_frame_was_drawn():
    assert [source_name(shift) for shift in DRAWING.shifts] == ["last frame", "→ 1.3", "↓ 3 ← 2", "painted"]
    assert source_name(np.float32([0.01, -0.02])) == "moved by 0"
    rows = source_rows(DRAWING)
    assert [(row.name, row.bars[0].value) for row in rows] == [
        ("last frame", 50.0),
        ("→ 1.3", 25.0),
        ("↓ 3 ← 2", 0.0),
        ("painted", 25.0),
    ]
    assert [row.bars[0].colour for row in rows] == [theme.QUIET, *theme.MOTIONS[:2], theme.MODEL]
    # (2 x (150, 157, 168) + (92, 184, 236) + (236, 164, 30)) / 4
    assert (source_map(DRAWING) == np.uint8([157, 166, 150])).all()


def test_each_call_and_the_origin_of_the_pixels_are_seen():
    surface = pygame.Surface((900, 200))
    draw_latents(Canvas(surface), surface.get_rect(), DRAWN, DEFAULT_KEYS)
    colours = {tuple(colour) for colour in pixels(surface).reshape(-1, 3).tolist()}
    assert {(50,) * 3, (100,) * 3, (200,) * 3, (157, 166, 150), theme.MODEL} <= colours


def test_the_class_of_a_group_and_its_probabilities_are_seen():
    surface = pygame.Surface((900, 200))
    draw_latents(Canvas(surface), surface.get_rect(), SNAPSHOT, DEFAULT_KEYS)
    colours = {tuple(colour) for colour in pixels(surface).reshape(-1, 3).tolist()}
    assert {tuple(colour) for colour in probability_map(SNAPSHOT).reshape(-1, 3).tolist()} <= colours
    assert {theme.MODEL, theme.ALERT, theme.TEXT} <= colours  # its class, that it is held, and that it is chosen


def test_it_stands_in_the_place_of_time_line_and_policy(make_session):
    session = make_session(model=LatentModel)
    session.tick(tap("c", "n"))
    guide = make_guide("Field", "Walk.", session.controls, with_model=True, players=2)
    painter, surface = Painter(guide, (64, 64), columns=4), pygame.Surface((1280, 800))
    assert painter.panel_place(surface, session.snapshot()) is not None
    session.tick(tap("m"))
    assert painter.panel_place(surface, session.snapshot()) is None
    painter.draw(surface, session.snapshot())
    colours = {tuple(colour) for colour in pixels(surface).reshape(-1, 3).tolist()}
    shown = session.snapshot().latents
    assert {tuple(colour) for colour in probability_map(shown).reshape(-1, 3).tolist()} <= colours


@pytest.mark.parametrize("size", [(640, 190), (1300, 200), (300, 320)])
def test_a_key_shows_the_readings_that_have_no_room(size, monkeypatch):
    readings, seen = tuple(replace(SAW, name=f"variable {i}") for i in range(60)), set()
    for page in range(40):
        with recording(monkeypatch) as drawn:
            surface = pygame.Surface(size)
            draw_latents(
                Canvas(surface), surface.get_rect(), replace(SNAPSHOT, readings=readings, page=page), DEFAULT_KEYS
            )
        texts = {text for text, _ in drawn.texts}
        names = {text for text in texts if text.startswith("variable")}
        assert names and f"F8 shows {60 - len(names)} more" in texts
        seen |= names
    assert len(seen) == 60


def test_the_key_for_more_readings_turns_a_page(make_session):
    session = make_session(model=LatentModel)
    session.tick(tap("c", "n", "m"))
    assert session.snapshot().latents.page == 0
    session.tick(tap("f8"))
    assert session.snapshot().latents.page == 1
