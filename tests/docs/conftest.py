"""The scripts of the documentation are no package: their folder is where their own imports look.

One tiny run, with evaluations and films, serves the tests of all pages.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import worldmodels

sys.path.append(str(Path(__file__).parents[2] / "docs"))


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny run of Dreamer on 20 levels, which has ended; it stands for the one of `make demo`."""
    settings = {"env.num_levels": 20, "training.steps": 120, "schedule.evaluate_every": 100}
    return worldmodels.train("coinrun", "debug", settings, tmp_path_factory.mktemp("tiny") / "run")
