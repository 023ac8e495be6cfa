"""Threads around the native games: Python's own, those of the pool, forks, and the end of the process.

Each program runs in a process of its own with a time limit, since what it looks for are hangs and crashes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from worldmodels.envs.games.vector_env import GameVectorEnv

SECONDS = 120
"""A hang is told by this; the programs take a few seconds, most of them to start."""


def run(program, *arguments):
    """Run a program and return what it printed. It must end in time, with the status 0: for some, that is the test."""
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


CALLS = {
    "step": "env.step([4] * 16)",
    "reset": "env.reset()",
    "seed": "env.seed(3)",
    "observe": "env.observe()",
    "render": "env.render()",
    "get_state": "env.get_state()",
    "set_state": "env.set_state(states)",
    "hashes": "env._batch.hashes()",
    "variables": "env.variables()",
    "fields": "env._batch.fields(0)",
    "copy": "copy.deepcopy(env)",
}
"""Every way into the games."""


@pytest.mark.parametrize("threads", [1, 2, 64])
def test_an_environment_in_use_refuses_other_threads(threads):
    """Each call is made until it meets a step of the other thread; every step is then either whole or refused."""
    shown = run(
        """
        import copy, sys, threading
        from worldmodels.core.errors import UserError
        from worldmodels.envs.games.vector_env import GameVectorEnv

        env = GameVectorEnv("coinrun", 16, int(sys.argv[1]), render_mode="rgb_array")
        env.reset(seed=0)
        states = env.get_state()
        go_on = True

        def step():
            while go_on:
                try:
                    env.step([4] * 16)
                except UserError:
                    pass
                except RuntimeError as error:  # after `seed`, which is followed by a reset
                    assert "call reset first" in str(error)

        stepper = threading.Thread(target=step)
        stepper.start()
        sys.setswitchinterval(1e-4)
        for call in sys.argv[2:]:
            while True:
                try:
                    exec(call)
                except UserError as error:
                    assert "used by another thread" in str(error) and "one environment per" in str(error), error
                    break
                except RuntimeError as error:
                    env.reset()
            print("refused")
        go_on = False
        stepper.join()
        env.set_state(states)
        env.step([4] * 16)
        """,
        threads,
        *CALLS.values(),
    )
    assert shown.count("refused") == len(CALLS)


def test_threads_may_take_turns():
    from threading import Thread

    env = GameVectorEnv("maze", 4, 2)
    env.reset(seed=0)
    shapes = []
    for _ in range(3):
        thread = Thread(target=lambda: shapes.append(env.step([4] * 4)[0].shape))
        thread.start()
        thread.join()
    assert shapes == [(4, 64, 64, 3)] * 3


def test_whoever_forks_waits_for_calls_of_other_threads():
    """A child must find no game in the midst of a step and no lock closed, whatever other threads did meanwhile."""
    run(
        """
        import os, signal, threading, time
        from worldmodels.envs import GAMES
        from worldmodels.envs.games.vector_env import GameVectorEnv

        shared = GameVectorEnv("coinrun", 16, 2)
        shared.reset(seed=0)
        go_on = True

        def paint():
            for count in range(10**6):
                if go_on:
                    env = GameVectorEnv(GAMES[count % len(GAMES)], 2, render_mode="rgb_array")
                    env.reset(seed=count)
                    env.render()

        def play():
            while go_on:
                shared.step([4] * 16)

        threads = [threading.Thread(target=work) for work in (paint, play)]
        for thread in threads:
            thread.start()
        for index in range(6):
            time.sleep(0.05)
            child = os.fork()
            if child == 0:
                signal.alarm(30)
                env = GameVectorEnv(GAMES[index], 2, 2, render_mode="rgb_array")
                env.reset(seed=0)
                env.render()
                shared.step([4] * 16)
                os._exit(0)
            status = os.waitpid(child, 0)[1]
            if status:
                os._exit(9)
        go_on = False
        for thread in threads:
            thread.join()
        """
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_a_process_ends_although_a_thread_still_plays(threads):
    run(
        """
        import sys, threading, time
        from worldmodels.envs.games.vector_env import GameVectorEnv

        env = GameVectorEnv("coinrun", 16, int(sys.argv[1]))
        env.reset(seed=0)

        def play():
            while True:
                env.step([4] * 16)

        threading.Thread(target=play, daemon=True).start()
        time.sleep(0.1)
        """,
        threads,
    )


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer needs the room for itself")
def test_threads_that_the_system_does_not_start_are_an_error():
    """Their stacks need more room than the process may have; with fewer of them it goes on."""
    shown = run(
        """
        import resource
        from pathlib import Path
        from worldmodels.core.errors import UserError
        from worldmodels.envs.games.vector_env import GameVectorEnv

        many, few = GameVectorEnv("maze", 256, 256), GameVectorEnv("maze", 4, 2)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        room = pages * resource.getpagesize() + 400 * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        for _ in range(2):
            try:
                many.reset(seed=0)
            except UserError as error:
                print(error)
        few.reset(seed=0)
        few.step([4] * 4)
        """
    )
    assert shown.count("of 256 threads") == 2 and shown.count("ask for fewer with num_threads") == 2


def test_threads_without_an_environment_are_not_started():
    import threading
    from pathlib import Path

    before = len(list(Path("/proc/self/task").iterdir()))
    env = GameVectorEnv("maze", 3, 10**9)
    env.reset(seed=0)
    assert len(list(Path("/proc/self/task").iterdir())) == before + 2, threading.enumerate()


@pytest.mark.parametrize("counts", [(0, 1), (1, 0), (1, -3), (1.5, 1), (2, 2.0), (1, 2**40), (True, 1), (None, 1)])
def test_counts_that_are_none_are_refused(counts):
    from worldmodels.core.errors import UserError

    with pytest.raises(UserError, match=r"num_(envs|threads) is an integer from 1 to"):
        GameVectorEnv("maze", *counts)
