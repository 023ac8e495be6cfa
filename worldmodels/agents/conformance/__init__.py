"""The conformance kit checks the contract of agents of any package.

    from worldmodels.agents.conformance import check_agent
    check_agent(MyConfig(units=8))

The kind must be registered (`worldmodels.agents.register_agent`). Its configuration should be as small as possible:
each check traces graphs for features and actions of every kind that the agent can have.
Inside `building_in`, agents and world models are built in that precision (`models/precision.py`). An agent must keep
its contract in both precisions:

    from worldmodels.models.precision import building_in
    with building_in("bfloat16"):
        check_agent(MyConfig(units=8))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from worldmodels.agents.config import AgentConfig
from worldmodels.agents.conformance import acting, learning
from worldmodels.agents.conformance.learning import check_learning_in_imagination
from worldmodels.agents.conformance.samples import SPECS, specs
from worldmodels.core.errors import ConformanceError
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig, ModelConfig, PatchConfig
from worldmodels.models.rssm.config import RSSMConfig

__all__ = ["SPECS", "ConformanceError", "agent_checks", "check_agent", "check_learning_in_imagination", "specs"]

Check = Callable[[AgentConfig, ModelSpec], None]

SMALL_WORLD = RSSMConfig(
    recurrent=16,
    hidden=12,
    latents=3,
    classes=4,
    encoder=PatchConfig(patch=2, depth=4),
    decoder=PatchConfig(patch=2, depth=4),
    heads=HeadConfig(1, 8),
)
"""A world model in which an agent can learn in seconds."""


def agent_checks(config: AgentConfig) -> tuple[Check, ...]:
    """Return the checks that an agent must pass with each of its `specs`, which raise ConformanceError."""
    checks: tuple[Check, ...] = acting.CHECKS
    if "imagination" in config.experience:
        checks += learning.CHECKS_IN_IMAGINATION
    if "rollouts" in config.experience:
        checks += learning.CHECKS_FROM_ROLLOUTS
    return checks + (learning.CHECKS_FROM_TRANSITIONS if "transitions" in config.experience else ())


def check_agent(config: AgentConfig, worlds: Sequence[ModelConfig] = (SMALL_WORLD,)) -> None:
    """Check that the agent of a configuration keeps the contract of `agents/api.py`.

    Args:
        config: of the agent.
        worlds: configurations of the world models in which it has to learn, if its `experience` holds "imagination".

    Raises:
        ConformanceError: it does not; the text names the kind, the check, what was expected and what was found.
    """
    for check in agent_checks(config):
        for kind, spec in specs(config).items():
            _run(check, config, spec, f"the spaces '{kind}'")
    for world in worlds if "imagination" in config.experience else ():
        _run(check_learning_in_imagination, config, world, f"the world model '{world.kind}'")


def _run(check: Callable[[AgentConfig, Any], None], config: AgentConfig, subject: Any, words: str) -> None:
    try:
        check(config, subject)
    except ConformanceError as error:
        raise ConformanceError(f"The agent '{config.kind}' fails {check.__name__} with {words}: {error}") from error
