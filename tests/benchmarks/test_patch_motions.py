"""The benchmark of motions of patches: what it compares, and its table."""

from __future__ import annotations

from dataclasses import replace

import patch_motions


def cell(layout: str, seed: int, moving: float) -> dict:
    moved = {f"moving_{steps}": moving for steps in patch_motions.HORIZONS}
    found = {"game": "pong", "layout": layout, "updates": 500, "seed": seed, "processor": "a processor"}
    found |= {"made_by": {"last_changed_at": "abc1234"}}
    return {**found, "seconds": 0.1, **moved}


def test_layouts_differ_in_nothing_but_the_output_and_the_motions_of_patches():
    picture, blend, patches, moved = (patch_motions.config_of("coinrun", layout) for layout in patch_motions.LAYOUTS)
    assert blend.model == replace(picture.model, output=replace(picture.model.output, blend=True))
    assert not picture.model.network.patch_motions and not picture.model.output.patch_motions
    assert patches.model.network.patch_motions and patches.model.output.patch_motions
    assert moved.model.output.moved_scale == 30
    assert moved.model == replace(patches.model, output=replace(patches.model.output, moved_scale=30))
    assert picture.env == blend.env == patches.env == moved.env
    assert picture.training == blend.training == patches.training == moved.training
    assert patch_motions.config_of("pong", "patches").env.grey


def test_the_table_has_a_row_for_each_game_and_layout():
    cells = [cell("patches", 1, 0.5), cell("picture", 1, 0.7), cell("picture", 2, 0.9)]
    *_, first, second, empty, made = patch_motions.report(cells).splitlines()
    rows = first, second
    assert (empty, made) == ("", "Last changed at commit abc1234.")
    assert rows[0] == "| pong | 500 | the picture | 2 | 0.80 | 0.80 | 0.80 | 100 |"
    assert rows[1] == "| pong | 500 | picture and patches | 1 | 0.50 | 0.50 | 0.50 | 100 |"
