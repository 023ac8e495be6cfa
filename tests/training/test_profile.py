"""A trace of some iterations lies where TensorBoard looks for it."""

from __future__ import annotations

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.training import throughput
from worldmodels.training.launch import launch


def test_some_iterations_are_traced(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(throughput, "FIRST", 2)
    monkeypatch.setattr(throughput, "COUNT", 2)
    overrides = ["env.game=maze", "training.steps=240", "schedule.evaluate_every=0"]
    run = launch(load_config(RunConfig, ["debug_ppo"], overrides), tmp_path / "run", profiled=True)
    assert [path.suffix for path in (run / "plugins" / "profile").glob("*/*")] == [".pb"]
    assert f"The trace is written: tensorboard --logdir {run}" in capsys.readouterr().out


def test_a_run_that_ends_early_writes_what_it_has_and_others_nothing(tmp_path):
    short, none = throughput.Profile(tmp_path), throughput.Profile(None)
    for each in (short, none):
        assert [each.iteration() for _ in range(throughput.FIRST + 3)] == [None] * (throughput.FIRST + 3)
    text = f"The trace is written: tensorboard --logdir {tmp_path} shows it in the tab Profile"
    assert (none.end(), short.end()) == (None, text)
    assert short.end() is None and list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))
