"""A run that is killed at any instant and started again gives the same numbers as one that was not."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.training.launch import launch


@pytest.fixture(autouse=True, scope="module")
def unimproved_graphs():
    """Leave TensorFlow's improvements on, unlike in other files: other processes, which have them, go on with runs."""


def command(logdir, *overrides, preset="debug"):
    return [
        sys.executable, "-m", "worldmodels", "train", "--config", preset, "env.game=maze", *overrides,
        "--logdir", str(logdir),
    ]  # fmt: skip


def run(logdir, *overrides, preset="debug"):
    """Train to the end here, where TensorFlow is loaded already, unless it should have other threads than here."""
    if set(COLLECTORS) & set(overrides):
        subprocess.run(command(logdir, *overrides, preset=preset), check=True, capture_output=True)
        return
    launch(load_config(RunConfig, [preset], ["env.game=maze", *overrides]), logdir)


def start_and_signal(logdir, number, due, *overrides, preset="debug"):
    """Start a run, and send it a signal some updates after `due()` is true."""
    started = command(logdir, *overrides, preset=preset)
    process = subprocess.Popen(started, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 600
    while not due():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.1)
    os.kill(process.pid, number)
    _, error = process.communicate(timeout=120)
    return process.returncode, error


def written(logdir, step):
    return lambda: step in Checkpoints(logdir / "checkpoints").steps()


def final_tensors(logdir):
    """All that is saved, but for the replay's cursors and the sizes of files, which tell of earlier checkpoints and
    processes."""
    step, tree = Checkpoints(logdir / "checkpoints").read()
    return {"step": step} | {
        name: value for name, value in leaves(tree) if name not in ("replay/saved", "records/sinks")
    }


def leaves(tree, prefix=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}/")
        else:
            yield prefix + key, value


def learning_records(logdir):
    """All recorded numbers but those of the clock."""
    rows = [json.loads(line) for line in (logdir / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in row.items() if not key.startswith("time/")} for row in rows]


def assert_same(one, other):
    assert learning_records(one) == learning_records(other)
    ours, theirs = final_tensors(one), final_tensors(other)
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        np.testing.assert_array_equal(value, theirs[name], err_msg=name)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    logdir = tmp_path_factory.mktemp("runs") / "whole"
    run(logdir)
    return logdir


def test_a_killed_run_continues_to_the_same_numbers(uninterrupted, tmp_path):
    logdir = tmp_path / "killed"
    status, _ = start_and_signal(logdir, signal.SIGKILL, written(logdir, 200))
    assert status == -signal.SIGKILL
    run(logdir)
    assert_same(uninterrupted, logdir)


def test_an_interrupted_run_says_how_to_continue_and_does(uninterrupted, tmp_path):
    logdir = tmp_path / "interrupted"
    status, error = start_and_signal(logdir, signal.SIGINT, written(logdir, 100))
    assert status == 130
    assert "continues the run" in error and "Traceback" not in error
    run(logdir)
    assert_same(uninterrupted, logdir)


def records(logdir):
    return len((logdir / "metrics.jsonl").read_text().splitlines()) if (logdir / "metrics.jsonl").exists() else 0


BFLOAT16 = ("precision=bfloat16", "schedule.evaluate_every=0")
"""In bfloat16, and since nothing else is new in that, without evaluations; processors that cannot do it emulate it."""


EVENTS = (
    "env.game=fruitbot", "training.prefill_policy=held", "training.prefill_events=1000", "training.prefill=50",
    "training.event_share=0.5", "training.steps=304", "schedule.evaluate_every=0", "training.exploration.epsilon=0.2",
    "agent.replay_value_scale=0.3", "agent.recent.policy_scale=0.1",
)  # fmt: skip
"""Held actions, exploration, a prefill that looks for more events than there are, windows around events, the value of
all, and the newest steps."""

COLLECTORS = ("training.collectors=2", "schedule.evaluate_every=0")
"""Steps collected by other processes, ahead of the learner."""
RECENT_OF_COLLECTORS = (*COLLECTORS, "agent.recent.policy_scale=0.1")

WEIGHED = ("env.game=chaser", "training.imagination_weight=rewards", "training.steps=400", "schedule.evaluate_every=0")


# SimPLe's loop writes its sixth record while the policy improves in the first turn.
@pytest.mark.parametrize(
    ("preset", "count", "overrides"),
    [
        pytest.param("debug_ppo", 2, (), id="ppo", marks=pytest.mark.slow),  # the loop of "ppo-collectors"
        pytest.param("debug_sac", 2, (), id="sac"),
        pytest.param("debug_simple", 6, (), id="simple", marks=pytest.mark.slow),
        pytest.param("debug_simple", 6, WEIGHED, id="simple-weighed", marks=pytest.mark.slow),
        pytest.param("debug", 1, (*BFLOAT16, "training.steps=240"), id="dreamer-bfloat16", marks=pytest.mark.slow),
        pytest.param("debug", 1, EVENTS, id="dreamer-events-early", marks=pytest.mark.slow),
        pytest.param("debug", 3, EVENTS, id="dreamer-events-late", marks=pytest.mark.slow),
        pytest.param("debug_ppo", 2, COLLECTORS, id="ppo-collectors"),
        pytest.param("debug", 3, RECENT_OF_COLLECTORS, id="dreamer-collectors", marks=pytest.mark.slow),
        pytest.param("debug_sac", 2, COLLECTORS, id="sac-collectors", marks=pytest.mark.slow),
        # A minibatch of more rows than those that stay in float32.
        pytest.param("debug_ppo", 1, (*BFLOAT16, "agent.minibatch=20"), id="ppo-bfloat16", marks=pytest.mark.slow),
        pytest.param("debug_simple", 5, BFLOAT16, id="simple-bfloat16", marks=pytest.mark.slow),
    ],
)
def test_every_loop_killed_in_the_middle_continues_to_the_same_numbers(tmp_path, preset, count, overrides):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run(whole, *overrides, preset=preset)
    status, _ = start_and_signal(killed, signal.SIGKILL, lambda: records(killed) >= count, *overrides, preset=preset)
    assert status == -signal.SIGKILL
    run(killed, *overrides, preset=preset)
    assert_same(whole, killed)


def test_a_finished_run_has_nothing_to_do(uninterrupted):
    before = learning_records(uninterrupted)
    run(uninterrupted)
    assert learning_records(uninterrupted) == before


def test_a_run_goes_on_from_an_older_checkpoint_to_the_same_numbers(uninterrupted, tmp_path):
    logdir = shutil.copytree(uninterrupted, tmp_path / "again")
    done = subprocess.run([*command(logdir), "--checkpoint", "300"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Continuing from the checkpoint at step 300" in done.stdout
    assert_same(uninterrupted, logdir)
    done = subprocess.run([*command(logdir), "--checkpoint", "250"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no checkpoint of step 250" in done.stderr and "Steps there: 300, 400" in done.stderr


def test_a_damaged_replay_store_is_told_and_left_as_it_is(uninterrupted, tmp_path):
    logdir = shutil.copytree(uninterrupted, tmp_path / "damaged")
    steps = logdir / "replay" / "00000000.steps"
    data = bytearray(steps.read_bytes())
    data[1000] ^= 1
    steps.write_bytes(data)
    before = {path: path.read_bytes() for path in (logdir / "replay").rglob("*")}
    done = subprocess.run(command(logdir), capture_output=True, text=True)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "of '00000000.steps' does not agree with its checksum" in done.stderr
    assert "--leave-out" in done.stderr
    assert {path: path.read_bytes() for path in (logdir / "replay").rglob("*")} == before


def test_another_configuration_is_refused_and_named(uninterrupted):
    done = subprocess.run(command(uninterrupted, "seed=5"), capture_output=True, text=True)
    assert done.returncode == 2
    assert "seed" in done.stderr and "saved 0" in done.stderr and "asked for 5" in done.stderr
