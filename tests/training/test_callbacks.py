"""Functions of the user see a run go on, and end it early."""

from __future__ import annotations

import worldmodels
from worldmodels.core.files.checkpoint import Checkpoints


def test_callbacks_see_what_is_logged_measured_and_saved_and_end_the_run(tmp_path):
    seen = []

    def note(event):
        seen.append((event.kind, event.step, event.run == tmp_path / "run"))

    def enough(event):
        return event.kind == "evaluation" and event.metrics["eval/return"] >= 0 and event.metrics["policy/updates"] == 3

    overrides = {"schedule.log_every": 80, "schedule.keep_checkpoints": 3, "evaluation.test_levels": False}
    run = worldmodels.train("maze", "debug_ppo", overrides, tmp_path / "run", callbacks=[note, enough])
    # An evaluation is due at step 120, and a checkpoint every 80; the early end writes one too.
    kinds = [("checkpoint", 0), ("log", 80), ("checkpoint", 80), ("evaluation", 120), ("checkpoint", 120)]
    assert seen == [(kind, step, True) for kind, step in kinds]
    assert Checkpoints(run / "checkpoints").steps() == [0, 80, 120]
    seen.clear()
    worldmodels.train("maze", "debug_ppo", overrides, tmp_path / "run", callbacks=[note])
    assert [event[:2] for event in seen][-3:] == [("log", 240), ("evaluation", 240), ("checkpoint", 240)]
    assert Checkpoints(run / "checkpoints").steps() == [80, 160, 240]
