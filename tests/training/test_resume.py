"""A run that is killed at any instant and started again gives the same numbers as one that was not."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from worldmodels.core.checkpoint import Checkpoints

STEPS = 400


def command(logdir, *overrides):
    return [
        sys.executable, "-m", "worldmodels", "train", "--config", "debug", "env.game=maze", *overrides,
        "--logdir", str(logdir),
    ]  # fmt: skip


def run(logdir, *overrides):
    done = subprocess.run(command(logdir, *overrides), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def start_and_signal(logdir, number, checkpoint):
    """Start a run, and send it a signal some updates after the checkpoint of the given step was written."""
    process = subprocess.Popen(command(logdir), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 300
    while checkpoint not in Checkpoints(logdir / "checkpoints").steps():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.1)
    os.kill(process.pid, number)
    _, error = process.communicate(timeout=120)
    return process.returncode, error


def final_tensors(logdir):
    step, tree = Checkpoints(logdir / "checkpoints").read()
    assert step == STEPS
    return dict(leaves(tree))


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
    status, _ = start_and_signal(logdir, signal.SIGKILL, checkpoint=200)
    assert status == -signal.SIGKILL
    run(logdir)
    assert_same(uninterrupted, logdir)


def test_an_interrupted_run_says_how_to_continue_and_does(uninterrupted, tmp_path):
    logdir = tmp_path / "interrupted"
    status, error = start_and_signal(logdir, signal.SIGINT, checkpoint=100)
    assert status == 130
    assert "continues the run" in error and "Traceback" not in error
    run(logdir)
    assert_same(uninterrupted, logdir)


def test_a_finished_run_has_nothing_to_do(uninterrupted):
    before = learning_records(uninterrupted)
    run(uninterrupted)
    assert learning_records(uninterrupted) == before


def test_another_configuration_is_refused_and_named(uninterrupted):
    done = subprocess.run(command(uninterrupted, "seed=5"), capture_output=True, text=True)
    assert done.returncode == 2
    assert "seed" in done.stderr and "saved 0" in done.stderr and "asked for 5" in done.stderr
