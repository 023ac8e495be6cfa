"""A printed configuration is documented, and a configuration itself."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.config.show import resolved, show_config, show_difference
from worldmodels.core.configuration.presets import preset_names, read_source, read_sources
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.configuration.text import key_docs
from worldmodels.core.errors import ConfigError, RunError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.models.rssm.config import RSSMConfig


@pytest.mark.parametrize("name", preset_names())
def test_what_is_printed_can_be_loaded_again(name: str, tmp_path: Path) -> None:
    file = tmp_path / "printed.yaml"
    names = [*(source.path for source in read_sources(read_source(name).over[:1])), name]
    file.write_text(show_config(names, ["seed=7"]))
    assert load_config(RunConfig, [file]) == replace(load_config(RunConfig, names), seed=7)


def test_the_first_line_says_of_what_it_is_made() -> None:
    assert show_config(["demo_ppo"], ["seed=3"]).startswith("# Made of: ppo_nature, few_agent, demo_ppo, seed=3\n")
    assert show_config([], []).startswith("# Made of: defaults\n")


def test_keys_and_sections_carry_their_documentation() -> None:
    lines = show_config(["dreamer"], []).splitlines()
    start = lines.index("model:")
    assert lines[start - 1 : start + 5] == [
        "# The recurrent state-space model: sizes and losses; the defaults are DreamerV2's figures for Atari.",
        "model:",
        "  # One of deterministic, flow, frames, rssm, stochastic_discrete.",
        "  kind: rssm",
        "  # Size of the GRU's state (`deter` in DreamerV2). It must be at least 1.",
        "  recurrent: 600",
    ]
    heads = lines.index("  heads:")
    assert lines[heads - 1].startswith("  # Dense layers of the reward head and of the continuation head.")
    assert (
        lines[heads + 1]
        == "    # Number of hidden layers; 0: the output reads the features themselves. It must be at least 0."
    )
    reward = lines.index("  reward_transform: tanh")
    comment = f"{lines[reward - 2]} {lines[reward - 1].removeprefix('  # ')}"
    assert comment.endswith("One of none, tanh, symlog.")


def test_docs_stand_under_their_keys() -> None:
    assert key_docs(RSSMConfig)["hidden"] == "Units of each dense layer inside the dynamics."
    assert "kind" not in key_docs(RSSMConfig)


def test_differences_are_told_by_key_with_both_values(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("seed: 3\nagent: {kind: random}\n")
    rows = [line.split() for line in show_difference("dreamer", str(file)).splitlines()]
    assert rows[0] == ["key", "dreamer", str(file)]
    assert ["seed", "0", "3"] in rows
    assert ["agent.kind", "actor_critic", "random"] in rows
    assert ["agent.horizon", "15", "-"] in rows
    assert not any(row[0].startswith("env.") for row in rows)


def test_a_run_folder_stands_for_its_configuration(tmp_path: Path) -> None:
    config = load_config(RunConfig, ["debug"])
    RunDir.create(tmp_path / "run", config, {})
    assert resolved([str(tmp_path / "run")]) == config
    assert show_difference("debug", str(tmp_path / "run")).endswith("are the same configuration.")


def test_unknown_names_suggest_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Did you mean 'dreamer_small'"):
        show_config(["dreamer_smal"], [])
    with pytest.raises(RunError, match="holds no run"):
        show_difference("debug", str(tmp_path))


def test_tensorflow_is_not_needed() -> None:
    code = "import sys; from worldmodels.cli import main; main(['config']); sys.exit('tensorflow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "  kind: rssm\n" in done.stdout
