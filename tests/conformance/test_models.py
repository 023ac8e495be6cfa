"""Every kind of representation goes through the kit of `worldmodels.models.conformance`; and the kit finds what is wrong."""

from __future__ import annotations

from dataclasses import dataclass

import members
import numpy as np
import pytest
import tensorflow as tf

from worldmodels.core.errors import ConformanceError
from worldmodels.models import MODELS, build_model
from worldmodels.models.conformance import check_model, model_checks, representation, world_model
from worldmodels.models.frame_stack import FrameStack
from worldmodels.models.frame_stack_config import FrameStackConfig

PAIRS = [
    pytest.param(config, check, id=f"{check.__name__.removeprefix('check_')}-{name}")
    for name, config in members.MODELS.items()
    for check in model_checks(config)
]


def test_the_table_is_complete():
    assert {config.kind for config in members.MODELS.values()} == set(MODELS)


@pytest.mark.parametrize(("config", "check"), PAIRS)
def test_contract(config, check):
    check(config)


def test_a_representation_is_not_asked_to_imagine():
    assert model_checks(FrameStackConfig()) == representation.CHECKS
    assert model_checks(members.MODELS["rssm"]) == representation.CHECKS + world_model.CHECKS


class Forgetful(FrameStack):
    """It shows the first image that it saw in place of the newest."""

    def observe(self, state, observation, previous_action, is_first, seed):
        return tf.zeros_like(super().observe(state, observation, previous_action, is_first, seed))


@dataclass(frozen=True)
class ForgetfulConfig(FrameStackConfig):
    kind: str = "forgetful"


def test_a_model_that_breaks_the_contract_is_told(monkeypatch):
    monkeypatch.setitem(MODELS._configs, "forgetful", ForgetfulConfig)
    monkeypatch.setitem(MODELS._homes, "forgetful", f"{__name__}:Forgetful")
    monkeypatch.setattr("worldmodels.core.kinds.import_module", lambda name: __import__("types").SimpleNamespace(Forgetful=Forgetful))
    assert isinstance(build_model(ForgetfulConfig(), (8, 8, 3), 5, np.zeros(2, np.int32)), Forgetful)
    text = "The model 'forgetful' fails check_spec_and_features: the newest image of the features and the observation must"
    with pytest.raises(ConformanceError, match=text):
        check_model(ForgetfulConfig())
