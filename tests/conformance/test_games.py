"""Every game in every mode through the kit of `worldmodels.envs.conformance`, and against the golden digests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldmodels.envs import conformance

GOLDEN = Path(__file__).parents[1] / "golden" / "games.json"
PAIRS = conformance.games_and_modes()

CHECKS = [
    conformance.check_spaces,
    conformance.check_determinism,
    conformance.check_states,
    conformance.check_autoreset,
    conformance.check_single,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(("name", "mode"), PAIRS)
def test_contract(name, mode, check):
    check(name, mode)


def test_every_game_and_mode_has_a_golden_digest():
    assert list(json.loads(GOLDEN.read_text())) == [f"{name} {mode}" for name, mode in PAIRS]


@pytest.mark.parametrize(("name", "mode"), PAIRS)
def test_golden_digest(name, mode):
    golden = json.loads(GOLDEN.read_text())[f"{name} {mode}"]
    now = conformance.digest(name, mode)
    again = "If the change is wanted: python -m worldmodels.envs.conformance tests/golden/games.json"
    assert now["rules"] == golden["rules"], f"What happens in {name} ({mode}) has changed. {again}"
    assert now["frames"] == golden["frames"], f"What is seen in {name} ({mode}) has changed. {again}"
