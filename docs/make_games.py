"""Writes games.md and its pictures from the table of native games.

    python docs/make_games.py            # games.md, images/games/*.jpg and images/games.jpg, all games in one
    python docs/make_games.py --text     # games.md alone

`tests/test_docs.py` fails when the table says something else than games.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from worldmodels.core.files.writing import write_atomic
from worldmodels.envs import GameEnv
from worldmodels.envs.games.action_keys import DIRECTIONS, NOTHING, Keys, key_label, lay_out
from worldmodels.envs.games.table import ACTION_KEYS, GAME_INFO, GameInfo, variable_units

DOCS = Path(__file__).parent
SIDE, BANNER_SIDE = 256, 200  # pixels of each view in a picture
LEVEL, STEPS = 3, 30  # the moment that is shown

HEADING = """# The games

For: players and users of the eighteen games. To play one, run `worldmodels play --game NAME`. Left in each picture is
the view for people, one for each distribution mode. Right is the view of an agent, with 64 x 64 pixels.

Actions are 0 to 14: nine directions, then the special actions D, A, W, S, Q and E, numbered as in Procgen. Actions
without a meaning in a game do nothing. In the player, special actions are on Space, K, L, U, I and O, because W A S D
move. Episodes end by the rules of each game, or are truncated at the time limit.

Variables describe the current state, for probes of a model:
[native_games.md](native_games.md#what-is-true-of-a-moment) explains them. `python docs/make_games.py` writes this
page.
"""


def text() -> str:
    """The whole of games.md."""
    contents = "\n".join(f"- [{info.title}](#{info.title.lower()}): {info.rewards}" for info in GAME_INFO.values())
    return "\n".join([HEADING, contents, *(section(info) for info in GAME_INFO.values())])


def section(info: GameInfo) -> str:
    """One game."""
    modes = ", ".join(f"{mode} ({limit:,} steps)" for mode, limit in info.modes.items())
    actions = "\n".join(f"| {numbers} | {keys} | {meaning} |" for numbers, keys, meaning in action_rows(info))
    return f"""
## {info.title}

![{info.title}](images/games/{info.name}.jpg)

{info.rules}

- Name: `{info.name}`; Gymnasium id: `{info.id}`
- Rewards: {info.rewards}
- End: {info.ending}
- Modes and their time limits: {modes}
- Looks: {info.looks}
- Variables: {variables(info)}

| action | keys | meaning |
|---|---|---|
{actions}
"""


def variables(info: GameInfo) -> str:
    """The names of a game's variables by their units, and by the modes that have them if not every mode has."""
    modes_of: dict[tuple[str, str], list[str]] = {}
    for mode in info.modes:
        for name, unit in variable_units(info.name, mode).items():
            modes_of.setdefault((unit, name), []).append(mode)
    names: dict[str, list[str]] = {}
    for (unit, name), modes in modes_of.items():
        everywhere = len(modes) == len(info.modes)
        names.setdefault(unit if everywhere else f"{unit} ({', '.join(modes)})", []).append(f"`{name}`")
    return "; ".join(f"{unit}: {', '.join(listed)}" for unit, listed in names.items()) + "."


def action_rows(info: GameInfo) -> Iterator[tuple[str, str, str]]:
    """Numbers, keys and meaning; neighbours that mean the same share a row, what means nothing is left out."""
    layout, taken = lay_out(ACTION_KEYS, info.action_meanings), {}
    rows = zip(range(len(ACTION_KEYS)), ACTION_KEYS, info.action_meanings, strict=True)
    for meaning, group in groupby(rows, key=lambda row: row[2]):
        if meaning == NOTHING:
            continue
        members = list(group)
        numbers = ", ".join(str(number) for number, _, _ in members)
        keys = [name for row in members if (name := key_names(layout, row[1]))]
        yield numbers, taken.setdefault(meaning, ", ".join(keys)), meaning


def key_names(layout: Mapping[str, Keys], buttons: tuple[str, ...]) -> str:
    """The first key of each button, directions by their names; "none" without buttons, and nothing without keys."""
    keys = [layout[button][0] for button in buttons if layout.get(button)]
    names = [key if key in DIRECTIONS else key_label(key) for key in keys]
    return "none" if not buttons else " + ".join(names) if len(names) == len(buttons) else ""


def picture(info: GameInfo) -> Image.Image:
    """People's view of each mode, then the agent's view of the last one."""
    views = [moment(info.name, mode) for mode in info.modes]
    frames = [Image.fromarray(large).resize((SIDE, SIDE), Image.Resampling.LANCZOS) for large, _ in views]
    frames.append(Image.fromarray(views[-1][1]).resize((SIDE, SIDE), Image.Resampling.NEAREST))
    strip = Image.new("RGB", (len(frames) * (SIDE + 4) - 4, SIDE), "white")
    for index, frame in enumerate(frames):
        strip.paste(frame, (index * (SIDE + 4), 0))
    return strip


def banner() -> Image.Image:
    """All games in one picture, six in a row, in the first mode that each offers."""
    frames = [Image.fromarray(moment(name, next(iter(info.modes)))[0]) for name, info in GAME_INFO.items()]
    across, step = 6, BANNER_SIDE + 6
    picture = Image.new("RGB", (across * step - 6, -(-len(frames) // across) * step - 6), "white")
    for index, frame in enumerate(frames):
        small = frame.resize((BANNER_SIDE, BANNER_SIDE), Image.Resampling.LANCZOS)
        picture.paste(small, (index % across * step, index // across * step))
    return picture


def moment(name: str, mode: str) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Both views after some random steps, the last ones before an episode would end."""
    env = GameEnv(name, "rgb_array", distribution_mode=mode)
    observation, _ = env.reset(seed=LEVEL)
    random, large = np.random.default_rng(0), env.render()
    for _ in range(STEPS):
        following, _, terminated, truncated, _ = env.step(int(random.integers(15)))
        if terminated or truncated:
            break
        observation, large = following, env.render()
    return np.asarray(large), observation


def main() -> None:
    """Writes the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", action="store_true", help="games.md alone")
    arguments = parser.parse_args()
    write_atomic(DOCS / "games.md", text())
    if arguments.text:
        return
    folder = DOCS / "images" / "games"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for info in GAME_INFO.values():
        picture(info).save(folder / f"{info.name}.jpg", quality=88)
    banner().save(DOCS / "images" / "games.jpg", quality=90)


if __name__ == "__main__":
    main()
