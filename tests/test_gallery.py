"""The worlds that come with the package: each opens, predicts, and has a card that others can check."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import worldmodels
from worldmodels.core.files.packs import GALLERY, gallery, read_card

MOST_BYTES = 50 * 10**6
"""All packs together."""
NAMES = sorted(gallery())


def test_all_packs_together_are_small() -> None:
    assert "coinrun" in NAMES, "`make play` opens it"
    assert sum(path.stat().st_size for path in gallery().values()) <= MOST_BYTES


@pytest.mark.parametrize("name", NAMES)
def test_a_card_says_how_the_world_was_made(name: str) -> None:
    card = read_card(gallery()[name])
    assert card.command.startswith("worldmodels train --config ") and "/" not in card.command
    assert len(card.commit) == 40, "made from a commit without changes"
    assert card.licence == "MIT" and card.title
    assert "eval/image_error_at_1" in card.evaluation
    measured = "eval/told_apart_coarse_at_15" if card.agent == "random" else "eval/return"
    assert measured in card.evaluation


@pytest.mark.parametrize("name", NAMES)
def test_a_world_predicts(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first predicted frame is nearer to the real one than a black one is: the weights are there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run = worldmodels.load(f"{GALLERY}{name}")
    starts = worldmodels.dream(f"{GALLERY}{name}", num_envs=2, horizon=2)
    seen, _ = starts.reset(seed=0)
    frames, *_ = starts.step(np.zeros(starts.action_space.shape, starts.action_space.dtype))
    assert run.config.env.game == read_card(gallery()[name]).game
    difference = np.abs(frames.astype(int) - seen).mean()
    assert 0 < difference < 0.5 * frames.mean()
