"""What a checkpoint says of the end is what the loop says."""

from __future__ import annotations

from dataclasses import replace

from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.training.check import is_finished

PHASED = {"steps": 80, "prefill": 40, "collect": 40, "fit": 3, "improve": 2}


def said(loop, folder):
    """Iterate a loop to its end, and yield after each tick what it says and what is told from its checkpoint."""
    run = RunDir(folder)
    while not loop.finished:
        loop.iterate()
        Checkpoints(run.checkpoints).write(loop.step, loop.save())
        yield loop.finished, is_finished(run, loop.parts.config)


def test_a_run_without_a_checkpoint_is_not_finished(model_free, tmp_path):
    assert not is_finished(RunDir(tmp_path), model_free(steps=80, rollout=20).parts.config)


def test_a_model_free_run_is_finished_with_its_last_rollout(model_free, tmp_path):
    found = list(said(model_free(steps=90, rollout=20), tmp_path))
    assert found == [(False, False)] * 5 + [(True, True)]


def test_a_model_based_run_is_finished_with_its_last_update(model_based, tmp_path):
    loop = model_based(PHASED)
    loop.begin()
    found = list(said(loop, tmp_path))
    # The steps are all there before the last turn has learned from them.
    assert found == [(False, False)] * (len(found) - 1) + [(True, True)]
    longer = replace(loop.parts.config, training=replace(loop.parts.config.training, steps=120))
    assert not is_finished(RunDir(tmp_path), longer)


def test_a_run_whose_newest_checkpoint_is_damaged_goes_on(model_free, tmp_path):
    loop = model_free(steps=40, rollout=20)
    assert list(said(loop, tmp_path))[-1] == (True, True)
    (tmp_path / "checkpoints" / "00000040" / "state.json").write_text("{}")
    assert not is_finished(RunDir(tmp_path), loop.parts.config)
