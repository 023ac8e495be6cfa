from __future__ import annotations

import json
import math

from worldmodels.telemetry.loss_growth import Growth, LossGrowth, PolicyHarm, growth_warning


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


def test_an_update_that_changes_a_policy_far_is_told_once() -> None:
    harm = PolicyHarm()
    assert harm.update({"policy/approximate_kl": 0.1, "policy/entropy": 2.0}) is None
    text = harm.update({"policy/approximate_kl": 0.25, "policy/entropy": 1.5})
    assert text == (
        "An update changes the policy by a KL of 0.25 nats, more than 0.1. The agent may unlearn; fewer steps an "
        "update (agent.epochs, a larger agent.minibatch) or a lower learning rate help, in a new run."
    )
    assert harm.update({"policy/approximate_kl": 9.0}) is None


def test_a_policy_that_returns_to_chance_is_told_after_a_resumption_too() -> None:
    first, second = PolicyHarm(), PolicyHarm()
    for entropy in (2.7, 1.2, 1.7):  # surer, and half a nat less sure
        assert first.update({"policy/kl": 0.01, "policy/entropy": entropy}) is None
    second.load(json.loads(json.dumps(first.save())))
    text = second.update({"policy/kl": 0.01, "policy/entropy": 1.75})
    assert text is not None and text.startswith("The entropy of the policy rose from 1.20 to 1.75 nats. ")


def test_agents_without_a_kl_are_left_alone() -> None:
    harm = PolicyHarm()
    assert [harm.update({"policy/entropy": entropy}) for entropy in (0.0, 9.0)] == [None, None]
