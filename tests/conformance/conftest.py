"""The two precisions in which models and agents keep their contracts."""

from __future__ import annotations

import pytest

from worldmodels.models.precision import building_in


@pytest.fixture(params=["float32", "bfloat16"])
def each_precision(request):
    """What a test builds is in float32, and again in bfloat16, which processors without it emulate."""
    with building_in(request.param):
        yield


@pytest.fixture
def bfloat16():
    """What a test builds is in bfloat16."""
    with building_in("bfloat16"):
        yield
