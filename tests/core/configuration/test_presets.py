"""What stands below a configuration file is read before it, and checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from worldmodels.core.configuration import presets
from worldmodels.core.configuration.presets import preset_names, read_source, read_sources
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError


@dataclass(frozen=True)
class Run:
    seed: int = 0
    steps: int = 1
    sizes: tuple[int, ...] = ()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of presets: small, large on small, best on large; atari over small or plain; both on two."""
    presets_of = {
        "small": "seed: 5\nsteps: 10\n",
        "plain": "",
        "large": "base: small\nsteps: 20\n",
        "best": "steps: 30\nbase: [large]\n",
        "atari": "over: [small, plain]\nsizes: [4]\n",
        "both": "base: [large, atari]\nseed: 7\n",
    }
    for name, text in presets_of.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    monkeypatch.setattr(presets, "presets_folder", lambda: tmp_path)
    return tmp_path


def error_of(*files: Path | str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(Run, files)
    return str(caught.value)


def test_a_bare_name_is_a_preset(folder: Path) -> None:
    assert preset_names() == ["atari", "best", "both", "large", "plain", "small"]
    assert load_config(Run, ["small", "plain"]).seed == 5
    assert error_of("smal").startswith("Unknown preset 'smal'. Did you mean 'small'? Presets: atari, best, both")


def test_the_values_of_a_base_come_first(folder: Path) -> None:
    assert load_config(Run, ["large"]) == Run(5, 20)
    assert load_config(Run, ["best"]) == Run(5, 30)
    assert load_config(Run, ["both"], ["steps=2"]) == Run(7, 2, (4,))
    assert [source.name for source in read_sources(["both"])] == ["small", "large", "atari", "both"]


@pytest.mark.parametrize("names", [["small", "large"], ["small", "large", "best"], ["large", "atari", "both"]])
def test_a_base_that_is_named_is_not_read_again(folder: Path, names: list[str]) -> None:
    assert load_config(Run, names) == load_config(Run, names[-1:])


def test_what_was_said_after_a_base_stays(folder: Path) -> None:
    (folder / "mine.yaml").write_text("seed: 9\n")
    assert load_config(Run, ["small", folder / "mine.yaml", "large"]) == Run(9, 20)


def test_a_base_may_be_a_file_beside_it(folder: Path) -> None:
    own = folder / "own"
    own.mkdir()
    (own / "first.yaml").write_text("base: large\nsizes: [1, 2]\n")
    (own / "second.yaml").write_text("base: first.yaml\nseed: 8\n")
    assert load_config(Run, [own / "second.yaml"]) == Run(8, 20, (1, 2))
    assert read_source(own / "second.yaml").base == [own / "first.yaml"]


def test_an_overlay_needs_a_preset_of_its_own(folder: Path) -> None:
    assert load_config(Run, ["small", "atari"]) == Run(5, 10, (4,))
    assert load_config(Run, ["best", "atari"]) == Run(5, 30, (4,))  # small is below best
    assert error_of("atari") == (
        "'atari' is an overlay, and changes another preset. It must come after one of: small, plain. Received 'atari' "
        "alone. Write '--config small atari', for example."
    )
    (folder / "mine.yaml").write_text("seed: 9\n")
    assert "Received 'atari' after 'mine'." in error_of(folder / "mine.yaml", "atari")


def test_a_base_covers_nothing(folder: Path) -> None:
    assert error_of("plain", "large") == (
        "'large' has the base 'small', whose values come first. Received 'large' after 'plain'. Put 'large' first, or "
        "leave one of them out."
    )


def test_a_ring_is_refused(folder: Path) -> None:
    (folder / "small.yaml").write_text("base: best\n")
    assert error_of("large") == (
        "No preset can be its own base: 'large' on 'small' on 'best' on 'large'. Remove one 'base'."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: 1\nbase: smal\n", "line 2: 'base': Unknown preset 'smal'. Did you mean 'small'?"),
        ("over: [small, none]\n", "line 1: 'over': Unknown preset 'none'."),
        ("base: smal.yaml\n", "line 1: 'base': There is no configuration file"),
        ("base: 3\n", "line 1: 'base' must name a preset or a file, or be a list of them. Received 3 (an integer)."),
        ("base: []\n", "Received [] (a list)."),
        ("base:\n", "Received nothing (null)."),
        ("over: [small, 3]\n", "Received [small, 3] (a list)."),
        ("over: small\nbase: plain\n", "with 'over' is an overlay. Received both. Remove one of the two keys."),
    ],
)
def test_errors_name_the_line(folder: Path, text: str, message: str) -> None:
    (folder / "own.yaml").write_text(text)
    error = error_of(folder / "own.yaml")
    assert error.startswith(f"{folder}/own.yaml") and message in error


def test_a_base_is_a_key_of_files_alone(folder: Path) -> None:
    with pytest.raises(ConfigError, match="unknown key 'base'"):
        load_config(Run, ["small"], ["base=plain"])
