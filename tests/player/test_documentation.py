"""The table of keys in the documentation names every key that there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldmodels.envs.games.action_keys import key_label
from worldmodels.player.session.controls.key_table import COMMAND_KEYS, Command
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.settings import Settings

TEXT = (Path(__file__).parents[2] / "docs" / "player.md").read_text()
KEYS = [line.split("|")[1] for line in TEXT.splitlines() if line.startswith("| ")]


@pytest.mark.parametrize("command", Command)
def test_every_command_has_its_key_in_the_table(command):
    name = {"Back": "Backspace"}.get(key_label(COMMAND_KEYS[command][0]), key_label(COMMAND_KEYS[command][0]))
    assert any(name in keys.replace(",", " ").split() or f" {name} " in keys.replace(",", " ") for keys in KEYS)


def test_every_setting_is_explained():
    for setting in Settings(PlayOptions(), with_model=True, with_policy=True, calls=3).rows:
        assert any(setting.name == keys.strip() for keys in KEYS)
