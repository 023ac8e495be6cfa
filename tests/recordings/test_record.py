"""Recording experience, and training from it alone."""

from contextlib import closing

import numpy as np
import pytest
from datasets_made import assert_same, gathered

import worldmodels
from worldmodels.cli import main
from worldmodels.core.errors import ConfigError
from worldmodels.datasets import open_source
from worldmodels.replay import ReplayReader


def test_recording_repeats_in_every_format(tmp_path, capsys):
    for name in ("store", "a.npz", "a.hdf5"):
        words = ["record", "maze", "--steps", "120", "--option", "num_envs=3", "num_levels=5", "--seed", "4"]
        assert main([*words, "--out", str(tmp_path / name)]) == 0
    assert "Recorded 120 steps of maze (3 streams of 40)" in capsys.readouterr().out
    with closing(open_source(str(tmp_path / "store"))) as store:
        for name in ("a.npz", "a.hdf5"):
            with closing(open_source(str(tmp_path / name))) as source:
                assert_same(store, source)
        assert gathered(store).is_first[:, 0].all()
    assert main(["record", "maze", "--steps", "1", "--out", str(tmp_path / "a.npz")]) == 2
    assert main(["record", "--steps", "1", "--out", str(tmp_path / "b.npz")]) == 2
    assert main(["convert", str(tmp_path / "a.npz"), str(tmp_path / "c.h5")]) == 0


def test_a_run_learns_from_data_alone_and_its_policy_is_recorded(tmp_path):
    data, folder = str(tmp_path / "a.npz"), tmp_path / "run"
    assert main(["record", "maze", "--steps", "120", "--option", "num_envs=3", "--out", data]) == 0
    more = {"training.initial_replay": data, "training.collect": 0, "training.turns": 2, "schedule.evaluate_every": 0}
    worldmodels.train("maze", "debug", more, folder)
    with closing(ReplayReader(folder / "replay")) as replay:  # env.num_envs is 2
        assert (replay.num_streams, replay.span) == (3, range(40))
    (tmp_path / "a.npz").unlink()
    worldmodels.train("maze", "debug", more | {"training.turns": 3}, folder)
    assert main(["record", "--policy", str(folder), "--steps", "10", "--out", str(tmp_path / "own")]) == 0
    with closing(open_source(str(tmp_path / "own"))) as source:
        assert (source.spec.num_streams, source.spec.length) == (2, 5)
        assert np.isfinite(gathered(source).reward).all()
    assert main(["record", "coinrun,maze", "--policy", str(folder), "--steps", "0", "--out", str(tmp_path / "x")]) == 2


def test_data_of_another_size_is_refused(tmp_path):
    data = str(tmp_path / "a.npz")
    assert main(["record", "maze", "--steps", "120", "--option", "num_envs=3", "--out", data]) == 0
    offline = {"training.initial_replay": data, "training.collect": 0, "training.turns": 2}
    for more, text in (
        ({"training.collect": 20}, "holds 3 streams, and env.num_envs is 2"),
        ({"training.length": 50}, "holds 40 steps of each environment"),
        ({"replay.capacity_steps": 100}, "capacity_steps=100 would keep the last alone"),
    ):
        with pytest.raises(ConfigError, match=text):
            worldmodels.train("maze", "debug", offline | more, tmp_path / "run")
