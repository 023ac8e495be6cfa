"""Every game in every mode through the kit of `worldmodels.envs.conformance`, and against the golden digests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldmodels.envs import conformance

GOLDEN = Path(__file__).parents[1] / "golden" / "games.json"
PAIRS = conformance.games_and_modes()
WRITE = "python -m worldmodels.envs.conformance tests/golden/games.json"

CHECKS = [
    conformance.check_spaces,
    conformance.check_determinism,
    conformance.check_states,
    conformance.check_variables,
    conformance.check_autoreset,
    conformance.check_single,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(("name", "mode"), PAIRS)
def test_contract(name, mode, check):
    check(name, mode)


def test_every_game_and_mode_has_a_golden_digest():
    wanted = [f"{name} {mode}" for name, mode in PAIRS]
    assert list(json.loads(GOLDEN.read_text())) == wanted, f"A game or mode is new or gone: {WRITE}"


@pytest.mark.parametrize(("name", "mode"), PAIRS)
def test_golden_digest(name, mode):
    golden = json.loads(GOLDEN.read_text()).get(f"{name} {mode}")
    assert golden is not None, f"{name} ({mode}) has no golden digest yet: {WRITE}"
    now = conformance.digest(name, mode)
    again = f"If the change is wanted: {WRITE}"
    assert now["rules"] == golden["rules"], f"What happens in {name} ({mode}) has changed. {again}"
    assert now["frames"] == golden["frames"], f"What is seen in {name} ({mode}) has changed. {again}"
