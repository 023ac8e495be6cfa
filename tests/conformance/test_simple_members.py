"""The kits ask for no more than the contracts: not for a memory, and not for learning in imagination."""

from __future__ import annotations

import pytest
from simple_members import GlanceConfig, RepeatConfig, register

from worldmodels.agents.conformance import agent_checks, check_agent
from worldmodels.agents.conformance.learning import CHECKS_FROM_ROLLOUTS, CHECKS_IN_IMAGINATION
from worldmodels.models.conformance import check_model


@pytest.fixture(scope="module", autouse=True)
def registered(kinds_of_tests):
    register()


def test_an_encoder_of_frames_alone_keeps_the_contract():
    check_model(GlanceConfig())


def test_an_agent_that_learns_from_experience_alone_keeps_the_contract():
    checks = agent_checks(RepeatConfig())
    assert set(CHECKS_FROM_ROLLOUTS) <= set(checks) and not set(CHECKS_IN_IMAGINATION) & set(checks)
    check_agent(RepeatConfig())
