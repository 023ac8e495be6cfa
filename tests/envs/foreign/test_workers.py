"""Foreign environments in worker processes: the same numbers, and a name for whatever goes wrong."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from fragile_env import Fragile, Mute, made_nowhere_else

from worldmodels.core.errors import ForeignEnvError, UserError
from worldmodels.envs import make_vec
from worldmodels.envs.config import InfoConfig
from worldmodels.envs.foreign import workers as foreign_workers


@pytest.fixture
def fragile():
    made = []

    def make(source=Fragile, **settings):
        made.append(make_vec(source, **{"num_envs": 3, "workers": 2, **settings}))
        return made[-1]

    yield make
    for env in made:
        env.close()
    assert multiprocessing.active_children() == []


def rollout(env, seed):
    """The bytes of everything that comes, over two episodes."""
    random, found = np.random.default_rng(0), []
    arrays = [env.reset(seed=seed)[0]]
    for _ in range(9):
        observation, *others, _ = env.step(random.choice([0, 6], env.num_envs))
        arrays += [observation, *others]
    for array in arrays:
        found += [part.tobytes() for part in (array.values() if isinstance(array, dict) else [array])]
    return found


@pytest.mark.parametrize("seed", [5, [9, 3, 4]])
def test_the_bytes_are_those_of_one_process(fragile, seed):
    envs = [fragile(workers=workers) for workers in (0, 2)]
    assert [worker.copies for worker in envs[1]._workers] == [range(2), range(2, 3)]
    first, second = (rollout(env, seed) for env in envs)
    assert first == second
    for env in envs:
        env.seed(11)
    assert rollout(envs[0], None) == rollout(envs[1], None) != first
    assert envs[0].action_meanings() == envs[1].action_meanings()


@pytest.mark.parametrize("workers", [0, 2])
def test_numbers_in_infos_are_recorded(fragile, workers):
    env = fragile(workers=workers, info=InfoConfig(sum=("bag/action",), max=("steps",)))
    assert np.isnan(env.reset(seed=0)[1]["recorded"]).all()
    recorded = [env.step([0, 5, 6])[-1]["recorded"] for _ in range(6)]
    assert recorded[3].dtype == np.float32
    assert recorded[3].tolist() == [[0, 4], [5, 4], [6, 4]]
    assert np.isnan(recorded[4]).all()  # of the reset
    assert recorded[5].tolist() == [[0, 1], [5, 1], [6, 1]]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_number_that_is_not_in_info_is_told(fragile, workers):
    env = fragile(workers=workers, info=InfoConfig(sum=("bag/actions",)))
    env.reset(seed=0)
    said = (
        r"^Environment 0 \('python:Fragile'\), step 1 of episode 1: env.info names what info does not hold, or not as "
        r"a finite number. Unknown number 'bag/actions'. Did you mean 'bag/action'\? Numbers: steps, bag/action.$"
    )
    with pytest.raises(ForeignEnvError, match=said):
        env.step([0, 0, 0])


def test_boxes_of_actions_are_scaled_in_the_workers():
    env = make_vec("Pendulum-v1", num_envs=2, workers=2)
    alone = make_vec("Pendulum-v1", num_envs=2)
    for each in (env, alone):
        each.reset(seed=3)
    actions = np.float32([[0.25], [7]])
    np.testing.assert_array_equal(env.step(actions)[0], alone.step(actions)[0])
    env.close()


HERE = r"^Environment 2 \('python:Fragile'\), step 3 of episode 1"
FAULTS = {
    1: rf"{HERE}: its worker process was killed by SIGKILL, as the",
    2: rf"{HERE} failed: ZeroDivisionError: by nothing \(.*line \d+\)\.$",
    3: rf"{HERE}: the reward is nan; a reward is from",
    4: rf"{HERE}: the part 'eye' of the observation is uint8 \(5, 30, 3\); its space says",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_goes_wrong_in_a_worker_is_told_by_copy_and_step(fragile, fault):
    env = fragile()
    env.reset(seed=0)
    for _ in range(2):
        env.step([0, 0, 0])
    with pytest.raises(ForeignEnvError, match=FAULTS[fault]):
        env.step([0, 0, fault])


def test_the_first_of_several_is_told(fragile):
    env = fragile()
    env.reset(seed=0)
    for _ in range(2):
        env.step([0, 0, 0])
    with pytest.raises(ForeignEnvError, match=r"^Environment 1 .*the reward is nan"):
        env.step([0, 3, 1])


def test_a_worker_that_was_killed_between_two_steps_is_named(fragile):
    env = fragile()
    env.reset(seed=0)
    env.step([0, 0, 0])
    os.kill(env._workers[0].process.pid, signal.SIGKILL)
    with pytest.raises(
        ForeignEnvError,
        match=r"^Environment 0 .*, after step 1 of episode 1: its worker process was killed by SIGKILL",
    ):
        env.step([0, 0, 0])


def test_what_cannot_be_made_in_a_worker_is_told(fragile):
    with pytest.raises(ForeignEnvError, match=r"^The factory 'python:Mute' failed: SystemExit: 3"):
        fragile(Mute)
    with pytest.raises(ForeignEnvError, match=r"^Environment 0 .*ended with exit code 3 before it was made.*__main__"):
        fragile(made_nowhere_else)


def test_a_worker_that_does_not_close_is_killed(fragile, monkeypatch):
    monkeypatch.setattr(foreign_workers, "CLOSE_SECONDS", 0.5)
    env = fragile(partial(Fragile, slow_to_close=True))
    with pytest.raises(
        ForeignEnvError, match=r"^Environment 0 .*: its worker process did not close its environments within 0.5 s"
    ):
        env.close()
    env.close()


def test_what_cannot_be_sent_is_refused():
    with pytest.raises(UserError, match=r"'python:lambda' cannot be sent to worker processes: .*env.workers=0"):
        make_vec(lambda: Fragile(), num_envs=2, workers=2)


def test_reset_options_and_more_workers_than_copies(fragile):
    env = fragile(num_envs=2, workers=8)
    assert len(env._workers) == 2
    with pytest.raises(UserError, match="Options of a reset are not sent to workers"):
        env.reset(options={"a": 1})
    assert not multiprocessing.active_children() or len(multiprocessing.active_children()) == 2


def test_a_single_copy_stays_here(fragile):
    env = fragile(lambda: Fragile(), num_envs=1, workers=4)
    assert env.reset(seed=0)[0]["touch"].shape == (1, 2)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_its_parent(tmp_path, number):
    """Its parent is stopped in the middle of a step that takes forever."""
    script = tmp_path / "program.py"
    script.write_text(
        "import time\n"
        "from gymnasium.envs.classic_control import CartPoleEnv\n"
        "from worldmodels.envs import make_vec\n"
        "class Sleeper(CartPoleEnv):\n"
        "    def step(self, action):\n"
        "        time.sleep(1000)\n"
        "if __name__ == '__main__':\n"
        "    env = make_vec(Sleeper, num_envs=2, workers=2)\n"
        "    env.reset(seed=0)\n"
        "    print(*[worker.process.pid for worker in env._workers], flush=True)\n"
        "    env.step([0, 0])\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    program = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    assert program.stdout is not None
    workers = [int(pid) for pid in program.stdout.readline().split()]
    assert len(workers) == 2
    time.sleep(0.2)
    program.send_signal(number)
    program.wait(60)
    for pid in workers:
        wait_until_gone(pid)
    program.stdout.close()


def wait_until_gone(pid):
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} is still there")
