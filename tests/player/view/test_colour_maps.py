from __future__ import annotations

import numpy as np

from worldmodels.player.session.worlds.frames import image_error
from worldmodels.player.view.colour_maps import COLOUR_MAP, difference, difference_map


def test_difference_is_the_largest_of_the_channels_whatever_its_sign():
    a = np.array([[[10, 200, 30], [0, 0, 0]]], np.uint8)
    b = np.array([[[14, 100, 31], [0, 0, 255]]], np.uint8)
    assert difference(a, b).tolist() == [[100, 255]]
    assert difference(b, a).tolist() == [[100, 255]]


def test_the_mean_error_counts_every_channel():
    a = np.zeros((2, 2, 3), np.uint8)
    b = a.copy()
    b[0, 0] = (12, 0, 24)
    assert image_error(a, b) == 3.0
    assert image_error(b, a) == 3.0


def test_half_the_colour_scale_stands_for_a_third_of_the_difference():
    a = np.zeros((1, 3, 3), np.uint8)
    b = np.array([[[0, 0, 0], [0, 95, 0], [255, 0, 0]]], np.uint8)
    assert difference_map(a, b)[0].tolist() == [COLOUR_MAP[i].tolist() for i in (0, 128, 255)]


def test_colours_grow_brighter_all_the_way():
    brightness = COLOUR_MAP @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(brightness) > -0.3).all()  # rounding to whole grey levels
    assert brightness[255] - brightness[0] > 200
