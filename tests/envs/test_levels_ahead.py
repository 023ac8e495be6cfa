"""Levels that idle workers prepare change nothing, wherever a process forks, ends, saves or loads meanwhile.

The programs whose hangs and crashes are looked for run in processes of their own, as in `test_threads`.
"""

from __future__ import annotations

import time
import weakref

import numpy as np
import pytest
from test_threads import run

from worldmodels.envs.games.vector_env import GameVectorEnv

ENVS = 6
STEPS = 240
GAMES = ["leaper,chaser,coinrun_platforms", "maze,climber,starpilot"]
PAUSE = 0.005
"""Seconds: long enough for workers to prepare some levels, and to fall asleep."""


def seen(threads: int, games: str, mode: str, sequential: bool) -> list[bytes]:
    """What an environment shows where episodes end early, and states are loaded and seeds given in between."""
    env = GameVectorEnv(games, ENVS, threads, mode, use_sequential_levels=sequential)
    actions = np.random.default_rng(1).integers(0, 15, (STEPS, ENVS))
    observation, info = env.reset(seed=3)
    shown = [observation.tobytes()]
    for step in range(STEPS):
        observation, rewards, terminated, truncated, info = env.step(actions[step])
        ended = terminated | truncated
        if mode == "Disabled" and ended.any():
            observation, info = env.reset(options={"reset_mask": ended})
        numbers = [info["level_seed"], info["prev_level_seed"], info["level"]["solution"]]
        shown += [array.tobytes() for array in (observation, rewards, terminated, truncated, *numbers)]
        if threads > 1 and step % 40 == 0:
            time.sleep(PAUSE)
        if step % 60 == 10:
            states = env.get_state()
        if step % 60 == 30:
            env.set_state(states)
        if step == 150:
            env.reset(seed=list(range(ENVS)))
        if step == 200:
            env.reset()
    return [*shown, *env.get_state()]


@pytest.mark.parametrize("games", GAMES)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("sequential", [False, True])
def test_nothing_depends_on_who_builds_a_level(games, mode, sequential):
    alone = seen(1, games, mode, sequential)
    assert seen(2, games, mode, sequential) == alone
    assert seen(4, games, mode, sequential) == alone


@pytest.mark.parametrize("threads", [2, 4])
def test_a_level_is_the_same_however_long_there_was_to_prepare_it(threads):
    """From no time at all to more than it takes."""
    alone, others = (GameVectorEnv("climber", 4, count, distribution_mode="hard") for count in (1, threads))
    alone.reset(seed=0)
    others.reset(seed=0)
    for pause in np.linspace(0, 0.01, 20):
        time.sleep(pause)
        assert np.array_equal(alone.reset()[0], others.reset()[0])


@pytest.mark.parametrize(("levels", "prepared"), [(1, False), (0, True)])
def test_an_only_level_is_not_prepared(levels, prepared):
    """Its workers have nothing to do in a pause, where levels take milliseconds, in a process that does nothing else.

    The median of several pauses counts: in the first, threads may still fall asleep, and on a busy machine the
    workers may have done their part of one before the clock is read, or get no time in it at all.
    """
    shown = run(
        """
        import statistics, sys, time
        from worldmodels.envs.games.vector_env import GameVectorEnv

        env = GameVectorEnv("coinrun_platforms", 8, 2, num_levels=int(sys.argv[1]))

        def computed():
            env.reset()
            before = time.process_time()
            time.sleep(0.1)
            return time.process_time() - before

        print(statistics.median(computed() for _ in range(15)) >= 0.001)
        """,
        levels,
    )
    assert shown.split() == [str(prepared)]


def test_workers_rest_once_everything_is_prepared():
    env = GameVectorEnv("coinrun_platforms", 8, 4)
    env.reset(seed=0)
    assert rest_soon()
    for _ in range(3):
        env.step([4] * 8)
        assert rest_soon()


def rest_soon() -> bool:
    """Wait until the workers compute nothing any more, and return whether they came to that, or spin for ever."""
    return any(at_rest() for _ in range(200))


def at_rest() -> bool:
    """Whether this process, all its threads, computes next to nothing for a while."""
    before = time.process_time()
    time.sleep(0.05)
    return time.process_time() - before < 0.003


def test_whoever_forks_waits_for_levels_that_are_prepared():
    """Children play on at once, in environments whose workers were in the midst of building a level, or about to."""
    shown = run(
        """
        import os, signal, time
        from worldmodels.envs.games.vector_env import GameVectorEnv

        env = GameVectorEnv("coinrun_platforms", 8, 4)
        for count in range(12):
            env.reset(seed=count)
            time.sleep(count * 5e-4)
            child = os.fork()
            if child == 0:
                signal.alarm(30)
                alone = GameVectorEnv("coinrun_platforms", 8, 1)
                alone.set_state(env.get_state())
                for _ in range(3):
                    assert (env.reset()[0] == alone.reset()[0]).all()
                    env.step([4] * 8)
                    alone.step([4] * 8)
                os._exit(0)
            if os.waitpid(child, 0)[1]:
                os._exit(9)
        print("all played on")
        """
    )
    assert shown.strip() == "all played on"


@pytest.mark.parametrize("keep", [True, False])
def test_a_process_ends_while_levels_are_prepared(keep):
    """Whether the environment is still there at its end, or goes before."""
    shown = run(
        """
        import sys
        from worldmodels.envs.games.vector_env import GameVectorEnv

        env = GameVectorEnv("coinrun_platforms", 8, 4)
        env.reset(seed=0)
        if sys.argv[1] == "True":
            import builtins
            builtins.kept = env
        print("at its end")
        """,
        keep,
    )
    assert shown.strip() == "at its end"


def test_environments_go_while_levels_are_prepared():
    for count in range(10):
        env = GameVectorEnv("coinrun_platforms", 8, 4)
        env.reset(seed=count)
        time.sleep(count * 5e-4)
        gone = weakref.ref(env)
        del env
        assert gone() is None
