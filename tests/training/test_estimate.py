"""What a run will take: the arithmetic by hand, and that measuring leaves no trace."""

from __future__ import annotations

import time

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.acting.build import build_parts
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.training import estimate
from worldmodels.training.estimate import RunEstimate, estimate_run, in_words


def built(preset, *overrides):
    config = load_config(RunConfig, [preset], ["env.game=maze", *overrides])
    env = build_env(config)
    return build_parts(config, env), env.num_envs


def leaves(tree):
    for value in tree.values():
        yield from leaves(value) if isinstance(value, dict) else [value]


def test_an_estimate_in_words():
    text = RunEstimate(seconds=3 * 3600 + 62, memory_bytes=3.14e9, disk_bytes=2.46e8, processor_seconds=0).text
    assert "3.0 h without evaluations" in text and "3.1 GB of memory" in text and "about 246 MB of disk" in text


def test_times_in_words():
    times = [0.4, 40, 99, 100, 8 * 60 + 1, 3 * 3600, 47 * 3600, 9.06 * 86400]
    assert [in_words(seconds) for seconds in times] == [
        *("0 s", "40 s", "99 s", "2 min", "8 min", "3.0 h", "47.0 h", "9.1 days")
    ]


@pytest.mark.parametrize("preset", ["debug", "debug_ppo", "debug_simple"])
def test_measuring_leaves_the_parts_as_they_were(preset):
    parts, num_envs = built(preset)
    before = [np.copy(x) for part in (parts.model, parts.agent) for x in leaves(part.save())]
    found = estimate_run(parts, num_envs, 0)
    after = [x for part in (parts.model, parts.agent) for x in leaves(part.save())]
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)
    assert found.seconds > 0


def test_time_is_the_work_of_all_phases_times_what_each_takes(monkeypatch):
    updates = {"fit": np.array([2.0, 4.0]), "improve": np.array([3.0, 5.0])}
    monkeypatch.setattr(estimate._Rehearsal, "_timed", lambda self, call: call() is None or np.array([0.5, 0.75]))
    monkeypatch.setattr(estimate._Rehearsal, "_updates_in_imagination", lambda *arguments: updates)
    # 400 steps of two environments are 200 steps of each; 100 in the first turn, then 15 turns of 20.
    parts, num_envs = built("debug")
    expected = [200 * 0.5 + 16 * 2.0 + 16 * 3.0, 200 * 0.75 + 16 * 4.0 + 16 * 5.0]
    np.testing.assert_allclose(estimate._Rehearsal(parts, num_envs).whole_run(), expected)


def test_a_call_is_over_when_a_gpu_has_done_its_work(monkeypatch):
    done = []
    monkeypatch.setattr(tf.test.experimental, "sync_devices", lambda: (time.sleep(0.05), done.append("waited")))
    wall, _ = estimate._seconds_of(lambda: done.append("called"))
    assert done == ["called", "waited"] and wall >= 0.05


def test_disk_is_the_experience_that_is_kept_and_the_checkpoints():
    parts, num_envs = built("debug", "replay.capacity_steps=300", "schedule.keep_checkpoints=1")
    weights = sum(x.nbytes for part in (parts.model, parts.agent) for x in leaves(part.save()) if hasattr(x, "nbytes"))
    assert estimate_run(parts, num_envs, 0).disk_bytes == pytest.approx(300 * 64 * 64 * 3 / 8 + 2 * weights, rel=1e-3)


@pytest.mark.parametrize(
    ("first", "compiler", "seconds", "building", "calls"),
    [
        (5.0, "off", 2.0, 3.0, 4),
        (30.0, "off", 30.0, 0.0, 1),  # so long an update is not repeated
        (30.0, "xla", 2.0, 28.0, 4),  # compiling was most of it
    ],
)
def test_a_first_call_also_builds_its_graph(monkeypatch, first, compiler, seconds, building, calls):
    times = [first, 2.0, 2.5, 3.0]
    monkeypatch.setattr(estimate, "_seconds_of", lambda call: np.array([call(), 0.0]))
    parts, num_envs = built("debug", f"compile={compiler}")
    rehearsal, left = estimate._Rehearsal(parts, num_envs), list(times)
    assert rehearsal._timed(lambda: left.pop(0))[0] == seconds
    assert (rehearsal.building_seconds, len(times) - len(left)) == (building, calls)
