"""The example package adds a model, an agent and an environment, as anybody's package can."""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "examples" / "plugin"

KITS = """
from worldmodels.agents.conformance import check_agent, check_learning_in_imagination
from worldmodels.models.conformance import check_model
from worldmodels_example.plugin import DriftConfig, LinearPolicyConfig

check_model(DriftConfig())
check_agent(LinearPolicyConfig())
check_learning_in_imagination(LinearPolicyConfig(), DriftConfig())
"""


@pytest.fixture
def run(tmp_path):
    """Runs Python with the package installed: on the path, with the entry points that its pyproject.toml declares."""
    info = tmp_path / "site" / "worldmodels_example-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: worldmodels-example\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(declared_entry_points())
    path = os.pathsep.join(map(str, (ROOT, PLUGIN, tmp_path / "site")))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": path}
        return subprocess.run(
            [sys.executable, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return run


def declared_entry_points() -> str:
    project = configparser.ConfigParser()
    project.read(PLUGIN / "pyproject.toml")
    prefix, lines = "project.entry-points.", []
    for section in filter(lambda name: name.startswith(prefix), project.sections()):
        lines.append(f"[{section.removeprefix(prefix)}]".replace('"', ""))
        lines += [f"{name} = {value}".replace('"', "") for name, value in project[section].items()]
    return "\n".join(lines) + "\n"


def test_entry_points_are_read_from_the_project():
    assert declared_entry_points().splitlines() == [
        "[worldmodels.models]",
        "drift = worldmodels_example.plugin",
        "[worldmodels.agents]",
        "linear_policy = worldmodels_example.plugin",
    ]


def test_its_kinds_are_listed_and_configured(run):
    assert run("-m", "worldmodels", "list", "models").stdout.split() == [
        *("deterministic", "drift", "flow", "frames", "rssm", "stochastic_discrete")
    ]
    assert "linear_policy" in run("-m", "worldmodels", "list", "agents").stdout.split()
    done = run("-m", "worldmodels", "config", str(PLUGIN / "train.yaml"), "agent.horizon=3")
    assert done.returncode == 0, done.stderr
    assert "  # Steps of each imagined rollout. It must be at least 1.\n  horizon: 3\n" in done.stdout
    wrong = run("-m", "worldmodels", "config", "model.kind=drifd")
    assert "Did you mean 'drift'?" in wrong.stderr


def test_it_trains(run, tmp_path):
    done = run("-m", "worldmodels", "train", "--config", str(PLUGIN / "train.yaml"), "--logdir", "run")
    assert done.returncode == 0, done.stderr
    metrics = (tmp_path / "run" / "metrics.jsonl").read_text()
    assert '"model/loss"' in metrics and '"policy/entropy"' in metrics


def test_it_passes_the_kits(run):
    done = run("-c", KITS)
    assert done.returncode == 0, done.stderr
