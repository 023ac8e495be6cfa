"""Numbers as bars: on which scale, under which name, and where they end."""

from __future__ import annotations

import numpy as np
import pygame

from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.panels.bars import BarRow, bar_span, difference_rows, draw_bars, position, value_rows

PLOT = pygame.Rect(10, 0, 101, 20)


def vector(*numbers):
    return np.array(numbers, np.float32)


def test_each_number_has_a_name_and_the_range_that_was_seen():
    ranges = {"joints": (vector(-1, 0), vector(1, 4)), "height": (vector(2), vector(2))}
    real = {"joints": vector(0.5, 1), "height": vector(2)}
    model = {"joints": vector(0.25, 5), "height": vector(3)}
    rows = value_rows(ranges, [(real, theme.REAL), (model, theme.MODEL)])
    assert [row.name for row in rows] == ["joints 0", "joints 1", "height"]
    assert [(row.low, row.high) for row in rows] == [(-1.0, 1.0), (0.0, 4.0), (2.9995, 3.0005)]
    assert [bar.value for bar in rows[1].bars] == [1.0, 5.0]
    assert [row.name for row in value_rows({}, [({"": vector(1, 2)}, theme.REAL)])] == ["0", "1"]


def test_a_difference_is_on_the_scale_of_the_range():
    (row,) = difference_rows({"": (vector(-1), vector(3))}, {"": vector(2)}, {"": vector(1)})
    assert (row.low, row.high, row.bars[0].value) == (-4.0, 4.0, 1.0)


def test_bars_begin_at_nothing_and_end_within_their_scale():
    row = BarRow("", (), -1.0, 1.0)
    assert position(row, 0.0, PLOT) == 60 and position(row, 9.0, PLOT) == 110
    assert bar_span(row, 0.5, PLOT) == (60, 25) and bar_span(row, -0.5, PLOT) == (35, 25)
    assert bar_span(BarRow("", (), 2.0, 4.0), 3.0, PLOT) == (10, 50)


def test_what_does_not_fit_is_counted(monkeypatch):
    said = []
    write = Canvas.write
    monkeypatch.setattr(Canvas, "write", lambda *args, **more: (said.append(args[1]), write(*args, **more))[1])
    rows = value_rows({}, [({"": vector(*range(40))}, theme.REAL)])
    draw_bars(Canvas(pygame.Surface((200, 150))), pygame.Rect(0, 0, 200, 150), rows)
    assert said[-1] == "and 31 more" and said[0] == "0"
