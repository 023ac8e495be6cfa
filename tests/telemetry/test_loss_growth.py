from __future__ import annotations

import json
import math

from worldmodels.telemetry.loss_growth import Growth, LossGrowth, growth_warning


def test_a_loss_is_told_once_when_it_outgrows_its_smallest_mean_a_thousandfold() -> None:
    losses = LossGrowth()
    assert losses.update({"model/loss": 50.0}) == []
    assert losses.update({"model/loss": 2.0}) == []
    assert losses.update({"model/loss": 2000.0}) == []  # a thousandfold, and not more
    assert losses.update({"model/loss": 2000.5}) == [Growth("model/loss", 2.0, 2000.5)]
    assert losses.update({"model/loss": 1e16}) == []


def test_losses_near_0_and_of_either_sign_count_as_1() -> None:
    losses = LossGrowth()
    for mean in (1e-9, 0.0, -3.0, 999.0, -1000.0):
        assert losses.update({"policy/actor_loss": mean}) == []
    assert losses.update({"policy/actor_loss": -1001.0}) == [Growth("policy/actor_loss", 0.0, -1001.0)]


def test_other_metrics_and_what_is_no_number_are_passed_over() -> None:
    losses = LossGrowth()
    losses.update({"episode/return": 0.0, "model/gradient_norm": 1.0, "model/loss": math.nan})
    assert losses.update({"episode/return": 1e9, "model/gradient_norm": 1e9, "model/loss": math.inf}) == []
    assert losses.save() == {"smallest": {}, "told": {}}


def test_a_resumed_run_goes_on_where_it_was() -> None:
    first, second = LossGrowth(), LossGrowth()
    first.update({"model/loss": 1.0, "policy/value_loss": 1.0})
    first.update({"model/loss": 5000.0})
    second.load(json.loads(json.dumps(first.save())))
    LossGrowth().load({})  # a checkpoint that knows nothing of losses
    grown = second.update({"model/loss": 6000.0, "policy/value_loss": 6000.0})
    assert grown == [Growth("policy/value_loss", 1.0, 6000.0)]


def test_the_warning_names_losses_and_what_to_lower() -> None:
    grown = [Growth("model/loss", 2.5, 1.25e16), Growth("model/kl_loss", 0.0, -2000.0)]
    assert growth_warning(grown, {"model.optimizer.learning_rate": 6e-4, "agent.optimizer.learning_rate": 1e-4}) == (
        "Losses grew more than a thousandfold: model/loss from 2.5 to 1.25e+16, model/kl_loss from 0 to -2000. "
        "Training may diverge; lower model.optimizer.learning_rate (0.0006) or agent.optimizer.learning_rate (0.0001), "
        "in a new run."
    )
    assert "lower the learning rate" in growth_warning(grown, {})
    scheduled = {"model.optimizer.learning_rate": "linear(2e-3, 1e-4, 100)"}
    assert "lower model.optimizer.learning_rate (linear(2e-3, 1e-4, 100))" in growth_warning(grown, scheduled)
