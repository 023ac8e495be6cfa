"""Files that give keys other meanings: what they change, and what they may not say."""

from __future__ import annotations

import pytest
from tiny_worlds import BUTTONS, MEANINGS

from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec
from worldmodels.player.app import play_game
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_file import names, names_in_game, read_keys
from worldmodels.player.session.controls.key_table import DEFAULT_KEYS, Command, LatentCommand
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.events import KeyEvent
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.view.panels.help_screen import make_guide
from worldmodels.player.web.guide_parts import guide_part, pad_part, touch_part


@pytest.fixture
def read(tmp_path):
    def read(text):
        (tmp_path / "keys.yaml").write_text(text)
        return read_keys(tmp_path / "keys.yaml")

    return read


def test_what_a_file_does_not_name_keeps_its_keys(read):
    table = read(
        "left: [h, left]\nspecial_1: return\nnumber_3: [z, [g, insert]]\nput_back: shift+f5\nhelp: 9\nspecial_9: end\n"
    )
    assert table.directions["left"] == ("h", "left") and table.directions["right"] == ("right", "d")
    assert table.specials[:2] == (("return",), ("k", "2"))
    assert table.numbers[:2] == ((("z",), ("g", "insert")), (("k",), ("i",)))
    assert table.commands[Command.PUT_BACK] == ("shift+f5",) and table.commands[Command.NEW_EPISODE] == ("r",)
    assert read("") == DEFAULT_KEYS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lefft: a", "line 1: Unknown name 'lefft'. Did you mean 'left'"),
        ("\nquit: esc", "line 2: Unknown key 'esc'"),
        ("save: []", "one key or more"),
        ("save: [z, z]", "one key or more, each once"),
        ("save: x", "line 1: a key means one thing. 'x' means save and put_back: give one"),
        ("left: [left, d]", "'d' means left and right"),
        ("number_3: j", "two keys"),
        ("number_3: [z, z]", "Received 'z' for both"),
        ("left: h", "'h' means left and help"),
        ("number_3: [[left], [l]]", "'left' means number_3 and left"),
        ("latents_hold: x", "'x' means latents_hold and put_back"),
        ("latents_hold: f", "'f' means latents_hold and latents_swap"),
        ("special_2: [k, j]", "'j' means special_2 and special_1"),
        ("12 press right", "key: value"),
        ("save: {a: b}", "Unknown key"),
    ],
)
def test_a_file_that_cannot_be_used_says_where_and_what_is_allowed(read, text, said):
    with pytest.raises(ConfigError) as error:
        read(text)
    assert said in str(error.value)


def test_a_special_action_and_a_number_may_share_a_key(read):
    assert read("special_1: [space, j]\nnumber_3: [j, l]").specials[0] == ("space", "j")


def test_the_pane_of_latents_may_share_keys_with_the_game(read):
    table = read("latents_hold: k\nlatents_next: [s, down]")
    assert table.latents[LatentCommand.HOLD] == ("k",) and table.latent_command("s") is LatentCommand.NEXT


def box(size):
    return BoxControls(ActionSpec(low=(-1.0,) * size, high=(1.0,) * size), ["number"] * size)


@pytest.mark.parametrize(
    ("controls", "there", "missing"),
    [
        (Controls(BUTTONS, MEANINGS), ["left", "down", "special_1", "special_2"], ["special_3", "number_3"]),
        (Controls([(), ("up",), ("FIRE",)], ["nothing", "jump", "fire"]), ["up", "special_1"], ["left", "special_2"]),
        (box(1), ["left", "right"], ["up", "special_1", "number_3"]),
        (box(3), ["left", "down", "number_3"], ["number_4", "special_1"]),
        (box(9), ["left", "down", "special_1"], ["number_3", "special_2"]),
    ],
)
def test_a_name_that_the_game_lacks_is_refused(tmp_path, controls, there, missing):
    own, path = names_in_game(controls), tmp_path / "keys.yaml"
    assert set(there) <= set(own) and not set(missing) & set(own)
    for name in there:
        path.write_text(f"{name}: f12\n" if not name.startswith("number") else f"{name}: [f12, f8]\n")
        read_keys(path, own)
    for name in missing:
        path.write_text(f"help: f9\n{name}: f12\n")
        with pytest.raises(ConfigError, match=f"line 2: .* has no '{name}'. It has {', '.join(own)}"):
            read_keys(path, own)


def test_the_player_refuses_keys_of_actions_that_its_game_lacks(tmp_path):
    (tmp_path / "keys.yaml").write_text("special_1: f12\n")
    with pytest.raises(ConfigError, match="has no 'special_1'. It has left, right, up, down."):
        play_game("maze", PlayOptions(keys=tmp_path / "keys.yaml", headless=True, steps=1, video=tmp_path / "a.mp4"))


def test_everything_that_has_keys_by_default_has_a_name():
    assert len(names()) == 4 + len(DEFAULT_KEYS.specials) + len(DEFAULT_KEYS.numbers) + len(Command) + len(
        LatentCommand
    )


def test_a_missing_file_is_an_error_before_anything_is_opened(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        play_game("maze", PlayOptions(keys=tmp_path / "none.yaml"))


def test_rules_help_panel_keys_and_page_follow_the_table(read):
    table = read("right: end\nspecial_1: z\nhelp: f5\nquit: q\n")
    controls = Controls(BUTTONS, MEANINGS, table)
    assert controls.handle(KeyEvent("f5", True)) is Command.HELP and controls.handle(KeyEvent("h", True)) is None
    assert controls.handle(KeyEvent("z", True)) is None and controls.choose() == 9
    assert controls.signs[9] == "Z" and ("Z", "fire") in controls.help() and ("End", "right") in controls.help()
    guide = make_guide("Field", "Walk.", controls, with_model=True, players=2)
    assert guide.hints[-2:] == (("F5", "help"), ("Q", "quit"))
    page = guide_part(guide)
    assert {"z", "f5", "return"} <= set(page["keys"]) and "h" not in page["keys"]
    assert (page["help"], page["quit"]) == (("f5",), ("q",))
    assert pad_part(controls)[0] == "z" and pad_part(controls)[15] == "end" and pad_part(controls)[8] == "f5"
    assert {button["key"] for button in touch_part(controls)} >= {"end", "z"}


def test_a_box_follows_the_table(read):
    spec = ActionSpec(low=(-1.0,) * 3, high=(1.0,) * 3)
    controls = BoxControls(spec, ["a", "b", "c"], read("left: end\nnumber_3: [z, g]"))
    assert controls.panel(None, None).keys[:3] == ("End →", "↓ ↑", "Z G")
    assert controls.handle(KeyEvent("g", True)) is None and controls.choose() == (0.0, 0.0, 1.0)
    assert controls.help()[2][0] == "Z G"
    assert pad_part(controls) == {8: "h", 9: "c", 12: "up", 13: "down", 14: "end", 15: "right"}
