"""Every key of a configuration is set by a preset, a grid or a benchmark, or a table names the reason why it exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.presets import find_grid, grid_names, preset_names, read_source
from worldmodels.core.configuration.sections import key_paths
from worldmodels.core.files.yaml_files import read_mapping

ROOT = Path(__file__).parents[1]
MOST_FIELDS = 350
"""Fields of configuration dataclasses. A new key has to replace an old one, or to be worth more than this number."""
REASONS = {
    "DreamerV2 has it": {
        "agent.actor_gradient",
        "agent.extrinsic_scale",
        "agent.intrinsic_scale",
        "agent.return_lambda",
        "env.workers",
        "evaluation.test_levels",
        "model.decoder_keys",
        "model.encoder_keys",
        "model.reward_scale",
        "training.exploration.noise",
    },
    "Procgen has it": {
        "env.center_agent",
        "env.debug_mode",
        "env.distribution_mode",
        "env.paint_vel_info",
        "env.restrict_themes",
        "env.use_backgrounds",
        "env.use_generated_assets",
        "env.use_monochrome_assets",
        "env.use_sequential_levels",
    },
    "Spinning Up has it": {
        "agent.alpha",
        "agent.box_distribution",
        "agent.line_search",
        "agent.noise",
        "agent.noise_clip",
        "agent.policy_delay",
        "agent.polyak",
        "agent.target_noise",
        "agent.value_steps",
    },
    "Stable-Baselines3 has it": {
        "agent.learn_alpha",
        "agent.normalize_features",
    },
    "SimPLe has it": {
        "model.continuation",
        "model.latent.group",
        "model.network.doublings",
        "model.network.dropout",
        "model.network.hidden",
        "model.network.levels",
        "model.network.middle_dropout",
        "optimizer.schedule",
    },
    "optimizers have it": {"optimizer.clip_ratio", "optimizer.warmup"},
    "the machine decides": {"deterministic", "env.num_threads"},
    "the user's own environment, data or question": {
        "env.info.mean",
        "env.info.sum",
        "evaluation.model_temperatures",
        "telemetry.sinks",
        "training.demonstrations",
    },
    "`--levels unseen` sets it": {"env.skip_layouts"},
    "the size of a network": {"agent.vectors.layers"},
}
"""Keys that no preset, grid or benchmark sets, by the reason why a user may want to set them."""


def plain(key: str) -> str:
    """Return a key of the owner of a section that several owners have: an optimizer, or the agent of Plan2Explore."""
    key = re.sub(r"^agent\.(explorer|task)\.", "agent.", key)
    return re.sub(r"^.*optimizer\.", "optimizer.", key)


def test_every_key_is_set_somewhere_or_has_a_reason() -> None:
    keys = list(key_paths(RunConfig))
    sections = {key.rpartition(".")[0] for key in keys}
    known = {plain(key) for key in keys if key not in sections and not key.endswith(".kind")}
    used = set(map(plain, {*set_by_presets(), *set_by_grids(), *set_by_benchmarks()}))
    reasons = [key for group in REASONS.values() for key in group]
    assert sorted(known - used - set(reasons)) == [], "Delete these keys, or give a reason for each of them."
    assert sorted(key for key in reasons if key in used or key not in known) == [], "Delete these reasons."
    assert len(reasons) == len(set(reasons))


def test_configurations_have_no_more_fields_than_before() -> None:
    classes = [
        node
        for path in (ROOT / "worldmodels").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and is_configuration(node)
    ]
    fields = sum(isinstance(line, ast.AnnAssign) for node in classes for line in node.body)
    assert fields <= MOST_FIELDS
    assert len(classes) > 40


def is_configuration(node: ast.ClassDef) -> bool:
    bases = map(ast.unparse, node.bases)
    is_dataclass = any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
    return is_dataclass and (node.name.endswith("Config") or any(re.search("Config$|Section$", base) for base in bases))


def set_in(tree: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield the full keys that nested mappings set, and those of sections above them."""
    for key, value in tree.items():
        full = f"{above}.{key}" if above else str(key)
        yield full
        if isinstance(value, Mapping):
            yield from set_in(value, full)
        elif isinstance(value, list):  # variants of a grid
            yield from (inner for each in value if isinstance(each, Mapping) for inner in set_in(each, full))


def set_by_presets() -> Iterator[str]:
    for name in preset_names():
        yield from set_in(read_source(name).values)


def set_by_grids() -> Iterator[str]:
    for name in grid_names():
        grid = read_mapping(find_grid(name))
        for part in ("overrides", "vary", "by_seed"):
            yield from set_in(grid.get(part, {}))


def set_by_benchmarks() -> Iterator[str]:
    for script in (ROOT / "benchmarks").rglob("*.py"):
        for node in ast.walk(ast.parse(script.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value.partition("=")[0]
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                yield str(node.values[0].value).partition("=")[0]
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Dict):
                        inner = [k.value for k in value.keys if isinstance(k, ast.Constant)]
                        yield from (f"{key.value!s}.{name!s}" for name in inner)
