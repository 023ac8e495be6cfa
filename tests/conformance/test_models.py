"""Every kind of representation goes through the kit of `worldmodels.models.conformance`, which finds what is wrong."""

from __future__ import annotations

import members
import pytest
import tensorflow as tf

from worldmodels.core.errors import ConformanceError
from worldmodels.models import MODELS
from worldmodels.models.config import FrameStackConfig
from worldmodels.models.conformance import check_model, latents, model_checks, representation, world_model
from worldmodels.models.conformance.samples import shared_model
from worldmodels.models.frame_stack import FrameStack
from worldmodels.models.precision import building_in
from worldmodels.models.rssm.config import RSSMConfig

PAIRS = [
    pytest.param(
        precision,
        config,
        check,
        id=f"{precision}-{check.__name__.removeprefix('check_')}-{name}",
        marks=pytest.mark.slow if precision == "bfloat16" and name not in members.IN_BFLOAT16 else (),
    )
    for precision in ("float32", "bfloat16")
    for name, config in members.MODELS.items()
    for check in model_checks(config)
]


def test_the_table_is_complete():
    assert {config.kind for config in members.MODELS.values()} == set(MODELS)
    assert {members.MODELS[name].kind for name in members.IN_BFLOAT16} == set(MODELS)


@pytest.mark.parametrize(("precision", "config", "check"), PAIRS)
def test_contract(precision, config, check):
    with building_in(precision):
        check(config)


def test_the_kit_keeps_a_model_for_each_precision():
    config = FrameStackConfig(frames=4)
    wide = shared_model(config)
    with building_in("bfloat16"):
        narrow = shared_model(config)
        assert shared_model(config) is narrow
    assert narrow is not wide and shared_model(config) is wide


def test_a_representation_is_not_asked_to_imagine():
    assert model_checks(FrameStackConfig()) == representation.CHECKS
    assert model_checks(members.MODELS["deterministic"]) == representation.CHECKS + world_model.CHECKS


def test_a_model_without_classes_is_not_asked_for_them():
    of_latents = model_checks(members.MODELS["rssm"])[-len(latents.CHECKS) :]
    assert of_latents == latents.CHECKS
    assert not set(latents.CHECKS) & set(model_checks(RSSMConfig(classes=0)))


def test_a_model_that_breaks_the_contract_is_told(monkeypatch):
    def observe(self, state, observation, previous_action, is_first, seed):
        return tf.zeros_like(state)

    monkeypatch.setattr(FrameStack, "observe", observe)
    text = "The model 'frames' fails check_spec_and_features: the newest image of the features and the observation must"
    with pytest.raises(ConformanceError, match=text):
        check_model(FrameStackConfig(frames=5))  # of which no other test keeps a model


def test_a_missing_method_is_told(monkeypatch):
    monkeypatch.delattr(FrameStack, "observe")
    with pytest.raises(ConformanceError, match="it must have the methods initial, observe, .*; it lacks observe"):
        check_model(FrameStackConfig(frames=6))
