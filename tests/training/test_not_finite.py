"""A run whose numbers become NaN stops with what was not finite, and goes on from its last checkpoint."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import NonFiniteError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.training.launch import launch
from worldmodels.training.loops.loop import finite
from worldmodels.training.loops.model_based import ModelBasedLoop
from worldmodels.training.loops.model_free import ModelFreeLoop


def leaves(tree, where=""):
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, f"{where}/{key}")
    else:
        yield where, tree


@pytest.mark.parametrize(
    ("preset", "part", "text"),
    [
        ("debug_ppo", "agent", r"Not finite in policy update \d+ .*: policy/return \(nan\)"),
        pytest.param("debug", "model", r"Not finite in model update .*model/loss \(nan\)", marks=pytest.mark.slow),
        pytest.param("debug", "agent", r"Not finite in policy update .*policy/actor_loss", marks=pytest.mark.slow),
        pytest.param("debug_simple", "model", r"Not finite in model update .*model/loss", marks=pytest.mark.slow),
        pytest.param("debug_simple", "agent", r"Not finite in policy update .*policy/", marks=pytest.mark.slow),
    ],
)
def test_a_run_stops_and_can_be_resumed(tmp_path, monkeypatch, preset, part, text):
    config = load_config(RunConfig, [preset], ["env.game=maze", "schedule.evaluate_every=0"])
    cls = ModelFreeLoop if preset == "debug_ppo" else ModelBasedLoop
    iterate, poisoned = cls.iterate, []

    def poison(loop):
        """Make all weights NaN once, after the second checkpoint and just before they learn."""
        due = cls is ModelFreeLoop or loop._position.phase == {"model": "fit", "agent": "improve"}[part]
        if due and not poisoned and len(Checkpoints(tmp_path / "run" / "checkpoints").steps()) > 1:
            poisoned.append(loop)
            learner = getattr(loop.parts, part)
            tree = learner.save()
            key = next(key for key in ("network", "weights", "actor") if key in tree)
            learner.load(tree | {key: {name: value * np.nan for name, value in tree[key].items()}})
        return iterate(loop)

    monkeypatch.setattr(cls, "iterate", poison)
    with pytest.raises(NonFiniteError, match=text):
        launch(config, tmp_path / "run")
    step, tree = Checkpoints(tmp_path / "run" / "checkpoints").read()
    assert all(np.isfinite(value).all() for _, value in leaves(tree) if isinstance(value, np.ndarray))

    launch(config, tmp_path / "run")
    assert Checkpoints(tmp_path / "run" / "checkpoints").read()[0] == config.training.steps > step


def test_the_error_names_what_is_not_finite():
    with pytest.raises(NonFiniteError) as caught:
        finite({"model/loss": math.nan, "model/kl": 1.5, "model/norm": math.inf, "model/finite": 0.0}, "update 7", 40)
    assert str(caught.value) == (
        "Not finite in update 7 (40 environment steps): model/loss (nan), model/norm (inf). The update was not "
        "applied, and the last checkpoint is from before. A smaller learning rate or gradient clip usually helps. "
        "Received: model/loss nan, model/kl 1.5, model/norm inf."
    )


def test_a_run_whose_losses_explode_says_so(tmp_path, capfd):
    overrides = ["env.game=maze", "schedule.evaluate_every=0", "schedule.log_every=40"]
    config = load_config(RunConfig, ["debug_ppo"], [*overrides, "agent.optimizer.learning_rate=1"])
    launch(config, tmp_path / "run")
    warnings = [line for line in capfd.readouterr().out.splitlines() if "thousandfold" in line]
    assert len(warnings) == 1
    assert "policy/value_loss from " in warnings[0] and "lower agent.optimizer.learning_rate (1)" in warnings[0]
