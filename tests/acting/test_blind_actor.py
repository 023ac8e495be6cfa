from __future__ import annotations

import numpy as np
import pytest

from worldmodels.acting.blind_actor import BlindActor, BlindPolicy, blind_policies, blind_policy
from worldmodels.core.errors import ConfigError
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.table import GAME_INFO

SEEN = np.zeros((2, 64, 64, 3), np.uint8)


def actions(policy: BlindPolicy, firsts: list[list[bool]]) -> list[list[int]]:
    """The actions of two environments, step by step."""
    actor = BlindActor(policy, 2, np.random.default_rng(0))
    return [actor.act(SEEN, np.array(first)).action.tolist() for first in firsts]


def test_actions_in_turn_begin_anew_with_each_episode() -> None:
    firsts = [[True, True], [False, False], [False, True], [False, False], [False, False]]
    assert actions(BlindPolicy((8, 3), hold=2), firsts) == [[8, 8], [8, 8], [3, 8], [3, 8], [8, 3]]
    assert actions(BlindPolicy((5,)), firsts) == [[5, 5]] * 5


def test_drawn_actions_have_their_shares_and_lengths() -> None:
    """Of four places three are action 8. An action is drawn at a quarter of the steps, and one of three other draws
    (1 - (9 + 1) / 16 = 3/8) is another action."""
    actor = BlindActor(BlindPolicy((8, 8, 8, 3), hold=4, in_turn=False), 2_000, np.random.default_rng(0))
    first = np.ones(2_000, bool)
    played = [actor.act(SEEN, first if step == 0 else ~first).action for step in range(50)]
    assert np.mean(played[-1] == 8) == pytest.approx(0.75, abs=0.03)
    changes = np.mean([np.mean(a != b) for a, b in zip(played, played[1:], strict=False)])
    assert changes == pytest.approx(0.25 * 3 / 8, abs=0.01)


def test_it_goes_on_as_it_was_saved() -> None:
    policy = BlindPolicy((1, 2, 3), hold=2, in_turn=False)
    first, other = (BlindActor(policy, 2, np.random.default_rng(seed)) for seed in (0, 1))
    for _ in range(3):
        first.act(SEEN, np.zeros(2, bool))
    other.load(first.save())
    for _ in range(5):
        found = [actor.act(SEEN, np.zeros(2, bool)).action.tolist() for actor in (first, other)]
        assert found[0] == found[1]


def test_words() -> None:
    meanings = ("left", "right", "jump")
    assert BlindPolicy((1,), hold=4).words(meanings) == "right"
    assert BlindPolicy((1, 2), hold=4).words(meanings) == "right, jump in turn, each for 4 steps"
    assert (
        BlindPolicy((1, 2, 1), hold=4, in_turn=False).words(meanings)
        == "right (2x), jump at random, each for about 4 steps"
    )
    assert BlindPolicy((1, 2), in_turn=False).words(meanings) == "right, jump at random"


def test_a_policy_has_an_action() -> None:
    with pytest.raises(ConfigError, match="has an action or more"):
        BlindPolicy(())


def test_each_game_has_one_in_each_mode() -> None:
    modes = {f"{game} ({mode})" for game, info in GAME_INFO.items() for mode in info.modes}
    assert blind_policies().keys() == modes
    for policy in blind_policies().values():
        assert all(action < 15 for action in policy.actions)


def test_only_a_native_game_alone_has_one() -> None:
    assert blind_policy(EnvConfig(game="coinrun")) is not None
    assert blind_policy(EnvConfig(game="coinrun,maze")) is None
    assert blind_policy(EnvConfig(game="CartPole-v1")) is None
