"""The person, the policy, random actions and the script take turns."""

from __future__ import annotations

import pytest
from keys import down, run, tap

from worldmodels.player.session.events import KeyEvent

RIGHT = 7


def test_the_policy_plays_until_a_person_takes_over(make_session):
    session = make_session()
    session.tick(tap("p"))
    assert (session.snapshot().player, session.snapshot().action) == ("policy", "right")
    session.tick(down("up"))
    assert (session.snapshot().player, session.snapshot().action) == ("you", "up")
    session.tick([*tap("p"), KeyEvent("up", False)])
    assert (session.snapshot().player, session.snapshot().action) == ("policy", "right")


def test_a_policy_plays_the_real_world_alone_and_goes_on_from_a_saved_state_as_it_did(make_session):
    session = make_session(models=0, playing="policy")
    session.tick(tap("shift+f1"))
    frames = [session.tick() and session.snapshot().real.frame for _ in range(4)]
    session.tick(tap("f1"))
    again = [session.tick() and session.snapshot().real.frame for _ in range(4)]
    seen = session.snapshot()
    assert (seen.models, seen.player, seen.action, seen.real.episode_return) == ((), "policy", "right", 5.0)
    assert all((one == other).all() for one, other in zip(frames, again, strict=True))
    session.tick(down("up"))
    assert (session.snapshot().player, session.snapshot().action) == ("you", "up")


def test_who_plays_is_chosen_and_given_back(make_session):
    session = make_session(script=[[3, 3], [5]])
    session.tick(tap("c"))
    told = []
    for keys in ("p", "t", "t", "t", "p"):
        session.tick(tap(keys))
        told.append((session.snapshot().player, session.snapshot().notice))
    assert told == [
        ("policy", "the policy plays"),
        ("random", "chance plays when you press P"),
        ("script", "the script plays when you press P"),
        ("policy", "the policy plays when you press P"),
        ("you", "you play"),
    ]


def test_the_random_player_takes_all_actions_and_the_same_ones_again(make_session):
    def play():
        session = make_session(with_policy=False, playing="random")
        return [session.tick() and session.snapshot().action for _ in range(60)]

    actions = play()
    assert actions == play()
    assert {"left", "right", "up", "down", "fire", "nothing"} <= set(actions)


def test_a_script_begins_the_episodes_that_were_begun_when_it_was_recorded(make_session):
    session = make_session(script=[[3, 5], [], [RIGHT]], playing="script")
    seen = [run(session, 1) for _ in range(6)]
    assert [(s.episode, s.step, s.action) for s in seen] == [
        *((1, 1, "down"), (1, 2, "up"), (2, 0, "nothing"), (3, 0, "nothing"), (3, 1, "right"), (3, 2, "nothing")),
    ]
    assert [s.player for s in seen] == ["script"] * 5 + ["you"]


def test_a_script_plays_its_actions_and_then_gives_back(make_session):
    session = make_session(script=[[3, 5]], playing="script")
    seen = [session.tick() and session.snapshot() for _ in range(3)]
    assert [(s.player, s.action) for s in seen] == [("script", "down"), ("script", "up"), ("you", "nothing")]
    assert seen[-1].notice == "the script has come to its end: you play"
    session.tick(tap("r"))
    session.tick(tap("p"))
    session.tick()
    seen = session.snapshot()
    assert (seen.step, seen.player, seen.real.episode_return) == (3, "you", 0.0)  # the second episode's was at step 0


def test_the_policy_panel_is_shown_whoever_plays(make_session):
    session = make_session()
    seen = run(session, 3, *down("up"))
    assert seen.player == "you"
    assert seen.policy_panel.probabilities[RIGHT] == pytest.approx(16 / 30)
    assert sum(seen.policy_panel.probabilities) == pytest.approx(1)
    assert make_session(with_policy=False).snapshot().policy_panel is None
