"""The precision in which agents keep their contracts once more, and kinds that only some tests have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from worldmodels.agents import AGENTS
from worldmodels.models import MODELS
from worldmodels.models.precision import building_in


@pytest.fixture
def bfloat16():
    """What a test builds is in bfloat16, which processors without it emulate."""
    with building_in("bfloat16"):
        yield


@pytest.fixture(scope="module")
def kinds_of_tests() -> Iterator[None]:
    """The tables of models and agents lose what a module of tests added: other tests of the process read them."""
    before = [(held, dict(held)) for table in (MODELS, AGENTS) for held in (table._configs, table._homes)]
    yield
    for held, kinds in before:
        held.clear()
        held.update(kinds)
