"""The precision in which agents keep their contracts once more."""

from __future__ import annotations

import pytest

from worldmodels.models.precision import building_in


@pytest.fixture
def bfloat16():
    """What a test builds is in bfloat16, which processors without it emulate."""
    with building_in("bfloat16"):
        yield
