"""The worlds that come with the package: small enough, with a card that says what to expect, and playable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import worldmodels
from worldmodels.core.files.packs import gallery, read_card

MOST_BYTES = 50_000_000
WORLDS = sorted(gallery())


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_all_worlds_together_are_small() -> None:
    assert sum(path.stat().st_size for path in gallery().values()) <= MOST_BYTES


@pytest.mark.parametrize("name", WORLDS)
def test_a_card_says_how_its_world_was_made_and_how_good_it_is(name: str) -> None:
    card = read_card(f"gallery:{name}")
    assert card.licence == "MIT" and len(card.commit) == 40
    assert card.command.startswith("worldmodels train --config ")
    assert card.agent == "random" or "eval/return" in card.evaluation
    assert any(metric.startswith("eval/image_error_at_") for metric in card.evaluation)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_a_world_is_dreamed_in(name: str) -> None:
    envs = worldmodels.dream(f"gallery:{name}", num_envs=2, horizon=5)
    before, _ = envs.reset(seed=0)
    envs.action_space.seed(0)
    for _ in range(4):
        frames, rewards, ends, _, _ = envs.step(envs.action_space.sample())
        assert frames.shape == before.shape and np.isfinite(rewards).all() and not ends.all()
    assert (frames != before).any()
