"""Runs on several devices: what is refused, the same numbers as on one, and a run that goes on with another number."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.config.checks import check_config
from worldmodels.config.devices import claim_devices
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.loading.load import load_run
from worldmodels.training.launch import launch

TESTS = Path(__file__).parents[1]
PROGRAM = """
import json, sys
from worldmodels.config.devices import claim_devices
claim_devices(2)
from worldmodels.models.graph import make_deterministic
make_deterministic()
import tensorflow as tf
tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})  # each graph runs three times
from updates_on_devices import CASES, compare_devices
print(json.dumps({name: compare_devices(name) for name in sys.argv[1:] or CASES}))
"""
FAST = ("RSSM", "next-frame model", "actor-critic", "PPO")


def compared(*names: str) -> dict[str, dict[str, float]]:
    path = ":".join(map(str, (TESTS.parent, TESTS, TESTS / "conformance")))
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}.split(':')" + PROGRAM, *names]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def unequal(found: dict[str, dict[str, float]]) -> list[str]:
    """The cases that learned nothing, or not the same on both."""
    return [name for name, case in found.items() if not (case["changed"] > 1e-3 and case["difference"] < 1e-4)]


def test_two_devices_learn_what_one_does():
    found = compared(*FAST)
    assert tuple(found) == FAST
    assert unequal(found) == []


def test_a_program_of_xla_is_for_one_device():
    config = load_config(RunConfig, ["debug"], ["devices=2", "compile=xla"])
    with pytest.raises(ConfigError, match="compile is 'xla', and devices is 2: a program of XLA is for one device"):
        check_config(config)


@pytest.mark.slow
def test_two_devices_learn_what_one_does_in_every_layout():
    found = compared()
    assert set(found) >= set(FAST)
    assert unequal(found) == []


def configured(*overrides: str) -> RunConfig:
    return load_config(RunConfig, ["debug"], ["env.game=maze", "devices=2", *overrides])


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (("training.batch=5",), "devices is 2: .* training.batch must be a multiple of it. Received 5."),
        (("training.starts.rollouts=7",), "training.starts.rollouts must be a multiple of it. Received 7."),
        (("agent={kind: vpg}",), "agent.kind 'vpg' learns on one device alone. Kinds that share .* ppo."),
        (("agent={kind: ppo, minibatch: 9}",), "agent.minibatch must be a multiple of it. Received 9."),
        (("agent={kind: ppo, batch_norm: true}",), "agent.batch_norm takes moments over minibatches"),
    ],
)
def test_what_devices_cannot_share_is_refused(config, text):
    with pytest.raises(ConfigError, match=text):
        check_config(configured(*config))


def test_devices_are_at_least_one():
    with pytest.raises(ConfigError, match="devices must be at least 1"):
        configured("devices=0")


def test_a_machine_without_so_many_says_how_many_it_has():
    with pytest.raises(ConfigError, match=r"devices must be at most what this machine has: \d+ .*Received 100000"):
        claim_devices(100_000)


def test_devices_are_made_before_tensorflow_starts(monkeypatch):
    tf.zeros(()).numpy()
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(64))
    with pytest.raises(ConfigError, match="already started in this process with fewer.*in a new process"):
        claim_devices(64)


def test_threads_are_set_before_tensorflow_starts():
    program = """
from worldmodels.config.devices import claim_threads, threads_warning
from worldmodels.loading.quiet import load_tensorflow
load_tensorflow(threads=1)
assert threads_warning(1) is None
claim_threads(0)
print(threads_warning(0))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "with other threads (wanted: as many as cores, has: 1)" in done.stdout


def train(folder: Path, *overrides: str) -> None:
    command = [sys.executable, "-m", "worldmodels", "train", "--config", "debug", "--logdir", str(folder)]
    done = subprocess.run([*command, "env.game=maze", *overrides], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_run_goes_on_with_another_number_of_devices(tmp_path):
    """120 steps, of which the last 20 on another number, with one checkpoint each; looked at on one device."""
    short = ("schedule.evaluate_every=0", "schedule.checkpoint_every=10")
    overrides = ("env.game=maze", *short, "training.steps=120")
    launch(load_config(RunConfig, ["debug"], overrides), tmp_path / "one")
    train(tmp_path / "two", *short, "training.steps=110", "devices=2")
    assert load_run(tmp_path / "two").config.devices == 1
    launch(load_config(RunConfig, ["debug"], overrides), tmp_path / "two")
    (step, one), (again, two) = (Checkpoints(tmp_path / name / "checkpoints").read() for name in ("one", "two"))
    assert step == again == 120
    assert one["counters"] == two["counters"]
    for part in (lambda tree: tree["model"]["weights"], lambda tree: tree["agent"]["actor"]):
        assert part(one).keys() == part(two).keys()
        for name, value in part(one).items():
            np.testing.assert_allclose(part(two)[name], value, atol=1e-5, err_msg=name)
