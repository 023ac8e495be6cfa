from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from worldmodels.agents.dreamer.config import ActorCriticConfig
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models import build_model
from worldmodels.models.rssm.config import RSSMConfig


@dataclass(frozen=True)
class Misspelt:
    kind: str = "rsm"


def test_unknown_kind_names_the_nearest():
    with pytest.raises(ConfigError, match="Unknown model 'rsm'. Did you mean 'rssm'?"):
        build_model(Misspelt(), ObservationSpec.of(16, 16, 3), ActionSpec(5), np.array([1, 2], np.int32))


def test_configuration_needs_no_tensorflow():
    code = "import sys, worldmodels.models, worldmodels.agents; sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_defaults_are_the_published_preset():
    """So the parameter counts of the defaults are those of the preset."""
    config = load_config(RunConfig, ["dreamer"])
    assert config.model == RSSMConfig()
    assert config.agent == ActorCriticConfig()
