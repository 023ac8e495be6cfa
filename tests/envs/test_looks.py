"""How the options of style change pictures, and that they change nothing else."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from worldmodels.envs import GameEnv

Colour = tuple[int, int, int]


def flat_colour(type_number: int, theme: int = 0) -> Colour:
    """(29 (type + 1) + 19 theme) mod 64, read as three digits in base 4: red, green, blue."""
    index = (29 * (type_number + 1) + 19 * theme) % 64
    return (64 * (index // 16 + 1) - 1, 64 * (index // 4 % 4 + 1) - 1, 64 * (index % 4 + 1) - 1)


def first_frame(name: str, **options: object) -> npt.NDArray[np.uint8]:
    env = GameEnv(name, start_level=5, num_levels=1, **options)
    return env.reset(seed=0)[0]


def colours(frame: npt.NDArray[np.uint8]) -> set[Colour]:
    return {(int(red), int(green), int(blue)) for red, green, blue in frame.reshape(-1, 3)}


def test_flat_colours_worked_by_hand() -> None:
    assert flat_colour(51) == (191, 127, 63)  # 29 * 52 mod 64 = 36 = 2 1 0 in base 4
    assert flat_colour(2) == (127, 127, 255)  # 29 * 3 mod 64 = 23 = 1 1 3
    assert flat_colour(0) == (127, 255, 127)  # 29 = 1 3 1


def test_monochrome_maze() -> None:
    frame = first_frame("maze", use_monochrome_assets=True, use_backgrounds=False)
    wall, cheese, mouse = flat_colour(51), flat_colour(2), flat_colour(0)
    assert colours(frame) == {(0, 0, 0), wall, cheese, mouse}


def test_monochrome_ship() -> None:
    frame = first_frame("starpilot", use_monochrome_assets=True, use_backgrounds=False)
    assert colours(frame) == {(0, 0, 0), flat_colour(0)}
    assert (frame == flat_colour(0)).all(axis=-1).sum() == 5 * 4  # 1.2 x 1 cells of 4 pixels each


def test_monochrome_themes_differ_unless_restricted() -> None:
    options = {"use_monochrome_assets": True, "use_backgrounds": False, "distribution_mode": "hard"}

    def grounds(**more: object) -> set[Colour]:
        found = set()
        for level in range(12):
            env = GameEnv("coinrun", start_level=level, num_levels=1, **options, **more)
            frame = env.reset(seed=0)[0]
            found |= colours(frame) & {flat_colour(15, theme) for theme in range(6)}
        return found

    assert len(grounds()) > 2
    assert grounds(restrict_themes=True) == {flat_colour(15)}


@pytest.mark.parametrize("name", ["coinrun", "maze", "starpilot"])
def test_styles_are_all_different(name: str) -> None:
    frames = [
        first_frame(name, distribution_mode="hard"),
        first_frame(name, distribution_mode="hard", use_generated_assets=True),
        first_frame(name, distribution_mode="hard", use_monochrome_assets=True),
        first_frame(name, distribution_mode="hard", use_backgrounds=False),
    ]
    assert len({frame.tobytes() for frame in frames}) == len(frames)


def test_velocity_squares() -> None:
    frame = first_frame("starpilot", paint_vel_info=True)
    assert colours(frame[:12, :24]) == {(127, 127, 127)}  # at rest: the middle grey
    env = GameEnv("starpilot", start_level=5, num_levels=1, paint_vel_info=True)
    env.reset(seed=0)
    frame = env.step(8)[0]  # right and up: 0.9 * 0.5 of the greatest speed, which is 0.75; upwards shown against 0.5
    assert colours(frame[:12, :12]) == {(184, 184, 184)}  # 255 * (0.5 * 0.45 + 0.5)
    assert colours(frame[:12, 12:24]) == {(213, 213, 213)}  # 255 * (0.5 * 0.675 + 0.5)


def test_the_space_behind_the_ship_moves() -> None:
    env = GameEnv("starpilot", start_level=5, num_levels=1, use_monochrome_assets=True)
    before = env.reset(seed=0)[0]
    for _ in range(5):
        after = env.step(4)[0]  # 5 steps of 0.2 cells: one cell, 4 pixels, to the left
    ship = (before == flat_colour(0)).all(axis=-1)
    same = (before[:, 4:] == after[:, :-4]).all(axis=-1) | ship[:, 4:] | ship[:, :-4]
    assert same.all()


def test_nothing_is_painted_away_from_things() -> None:
    env = GameEnv("starpilot", distribution_mode="hard", start_level=0, num_levels=0, use_backgrounds=False)
    generator = np.random.default_rng(0)
    for seed in range(25):
        frame, _ = env.reset(seed=seed)
        for _ in range(60):
            numbers = env.fields()
            free = np.ones((64, 64), bool)
            for path in [path for path in numbers if path.endswith("/x")]:
                x, y = numbers[path], numbers[path[:-1] + "y"]
                # Pictures are up to a fifth larger than boxes; explosions grow to 1.92 cells.
                rx, ry = (1.2 * numbers.get(path[:-1] + name, 1.6) + 0.5 for name in ("rx", "ry"))
                left, right, top, bottom = (4 * max(0, edge) for edge in (x - rx, x + rx, 16 - y - ry, 16 - y + ry))
                free[int(top) : int(bottom) + 1, int(left) : int(right) + 1] = False
            assert not frame[free].any()
            frame, _, ended, _, _ = env.step(int(generator.choice([9, 9, 1, 3, 5, 4])))
            if ended:
                break


def test_large_and_small_views_show_the_same() -> None:
    style = {"use_monochrome_assets": True, "use_backgrounds": False}
    env = GameEnv("maze", start_level=5, num_levels=1, render_mode="rgb_array", **style)
    small = env.reset(seed=0)[0]
    large = env.render()
    assert large is not None
    shrunk = large.reshape(64, 8, 64, 8, 3)[:, 4, :, 4]
    # Edges of cells are rounded to whole pixels, so only pixels next to one may differ.
    assert (small == shrunk).all(axis=-1).mean() > 0.85
