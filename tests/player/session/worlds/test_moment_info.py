"""Info about the moment."""

from __future__ import annotations

import math

from keys import run, tap
from recorded import with_episodes


def test_the_seed_the_steps_and_the_true_variables_are_told(make_session):
    session = make_session()
    session._play.real._env.variables = lambda: {"agent.x": 3.25, "coin.x": math.nan, "keys": 2.0}
    assert session.snapshot().info == ()
    session.tick(tap("home"))
    assert run(session, 2).info == (
        ("step of the episode", "3"),
        ("steps alone", "3"),
        ("level seed", "1"),
        ("agent.x", "3.25"),
        ("coin.x", "-"),
        ("keys", "2"),
    )
    session.tick(tap("home"))
    assert session.snapshot().info == ()


def test_an_environment_without_variables_tells_its_own_numbers(make_session):
    session = make_session()
    session._play.real.info |= {"lives": 3, "name": "field", "level_seed": 1}
    session.tick([*tap("c", "home")])
    assert dict(session.snapshot().info)["lives"] == "3" and "name" not in dict(session.snapshot().info)


def test_a_game_alone_and_a_recorded_episode_tell_what_they_have(make_session):
    session = make_session(models=0, with_policy=False)
    session.tick(tap("home"))
    assert dict(session.snapshot().info)["level seed"] == "1"
    session = with_episodes(make_session())
    session.tick(tap("home", "f9", "return"))
    assert session.snapshot().info == (("step of the episode", "1"), ("steps alone", "1"))
