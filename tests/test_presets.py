"""Every preset, and every override that the documents promise, is a sound configuration."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from worldmodels.config.checks import check_config
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.presets import PresetFile, preset_names, read_source, read_sources
from worldmodels.core.configuration.sections import load_config, merge, to_dict
from worldmodels.core.errors import UserError
from worldmodels.training.loops.plan import TrainingPlan

DOCUMENT = (Path(__file__).parent.parent / "docs" / "reference" / "names_elsewhere.md").read_text()
SECTION = DOCUMENT.split("### The named settings")[1].split("Five groups are not there:")[0]
ROWS = re.findall(r"^\| (`[^|]*|the schedules[^|]*) \| `([^`]*)` \|$", SECTION, re.MULTILINE)
EXTRAS = {"ale_py": "atari", "crafter": "crafter", "shimmy": "dmc"}
"""Packages of environments, each with the extra that brings it."""
PACKAGES = {"atari": "ale_py", "atari_simple": "ale_py", "dmc": "shimmy", "crafter": "crafter"}
OVERLAYS = [(name, below.name) for name in preset_names() for below in map(read_source, read_source(name).over)]
WHOLE = [name for name in preset_names() if not read_source(name).over]
COMMANDS = [[name] for name in WHOLE] + [[below, overlay] for overlay, below in OVERLAYS]


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_a_preset_is_sound_or_says_which_extra_to_install(names: list[str]) -> None:
    config = load_config(RunConfig, names, ["training.initial_replay=anywhere"] if "offline" in names else [])
    package = next((package for prefix, package in PACKAGES.items() if names[-1].startswith(prefix)), "numpy")
    if importlib.util.find_spec(package):
        check_config(config)
    else:
        with pytest.raises(UserError, match=re.escape(f"pip install 'worldmodels-lab[{EXTRAS[package]}]'")):
            check_config(config)


@pytest.mark.parametrize("name", dict(OVERLAYS))
def test_an_overlay_alone_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=f"^'{name}' is an overlay.*Received '{name}' alone"):
        load_config(RunConfig, [name])


@pytest.mark.parametrize("name", preset_names())
def test_every_line_of_a_preset_changes_what_is_below_it(name: str) -> None:
    source = read_source(name)
    bottoms = [read_sources([below]) for below in source.over] or [read_sources([name])[:-1]]
    wholes = [merged(bottom, source.values) for bottom in bottoms]
    for key in leaves(source.values):
        rests = [merged(bottom, without(source.values, key)) for bottom in bottoms]
        assert rests != wholes, f"configs/{name}.yaml: {'.'.join(key)} is as below it. Delete the line."


def merged(bottom: Sequence[PresetFile], top: Mapping[str, Any]) -> RunConfig | None:
    """Return a configuration, or None if a line is missing without which the others cannot be used."""
    try:
        return merge(RunConfig, [*(("", source.values) for source in bottom), ("", top)])
    except UserError:
        return None


def leaves(tree: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key)


def without(tree: Mapping[str, Any], key: tuple[str, ...]) -> dict[str, Any]:
    first, *rest = key
    rests = {first: without(tree[first], tuple(rest))} if rest else {}
    return {name: value for name, value in tree.items() if name != first} | rests


def test_the_learners_of_the_demonstration_have_the_same_levels_and_steps() -> None:
    dream, plain = (load_config(RunConfig, [name]) for name in ("demo", "demo_ppo"))
    for config in (dream, plain):
        check_config(config)
    assert (dream.env.game, dream.env.num_levels, dream.env.start_level) == ("coinrun", 20, 0)
    assert replace(plain.env, num_envs=dream.env.num_envs) == dream.env
    assert plain.training.steps == dream.training.steps


def test_the_methods_of_the_generalisation_grid_have_as_many_steps_and_one_agent() -> None:
    ppo, simple, dreamer = (load_config(RunConfig, [f"100k_{name}"]) for name in ("ppo", "simple", "dreamer"))
    assert ppo.training.steps == simple.training.steps == dreamer.training.steps == 100_000
    assert to_dict(simple.agent) | {"horizon": 50} == to_dict(ppo.agent)


def ppo(preset: str, *values: str) -> Any:
    return load_config(RunConfig, [preset], list(values))


def test_more_environments_make_larger_minibatches_of_the_nature_network_and_no_more_steps() -> None:
    few, many = (ppo("ppo_nature", f"env.num_envs={count}") for count in (16, 64))
    samples = [config.env.num_envs * config.training.rollout for config in (few, many)]
    assert [config.agent.minibatch * count for config, count in zip((few, many), samples, strict=True)] == [256, 1024]


def test_ppo_of_procgen_has_the_figures_of_its_study() -> None:
    config = ppo("ppo_procgen")
    samples = config.env.num_envs * config.training.rollout
    assert (config.env.num_envs, config.training.rollout, config.training.steps) == (64, 256, 25_000_000)
    assert (config.agent.images, config.agent.minibatch * samples, config.agent.epochs) == ("impala", samples / 8, 3)
    assert (config.agent.discount, config.agent.gae_lambda, config.agent.clip) == (0.999, 0.95, 0.2)
    assert (config.agent.optimizer.learning_rate, config.agent.decay) == (5e-4, 0)
    assert (config.agent.entropy, config.agent.value_clip, config.agent.value_scale) == (0.01, 0.2, 0.25)
    assert (config.agent.reward_transform, config.agent.normalize_rewards) == ("none", True)


def test_every_row_of_the_table_is_read() -> None:
    assert len(ROWS) == SECTION.count("\n| ") - 1  # the head of the table has no code
    assert len(ROWS) > 25


@pytest.mark.parametrize(("names", "command"), ROWS, ids=[row[0] for row in ROWS])
def test_a_named_setting_is_a_preset_with_overrides(names: str, command: str) -> None:
    preset, *overrides = command.split(" ")
    check_config(load_config(RunConfig, [preset], overrides))


@pytest.mark.parametrize(
    ("overrides", "turns", "fits", "improvements"),
    [
        ([], 15, 255_000, 15_000),
        (["training.fit_factors=[3,3,1,1,3,1,1,1,1,3,1,1,1,1,3]"], 15, 375_000, 15_000),
    ],
)
def test_simple_does_as_much_as_was_published(overrides: list[str], turns: int, fits: int, improvements: int) -> None:
    config = load_config(RunConfig, ["simple"], overrides)
    plan = TrainingPlan(config.training, config.env.num_envs)  # type: ignore[arg-type]
    assert plan.turns() == turns
    # 6000 steps of 16 environments are 96,000.
    assert plan.remaining(plan.start(0)) == {"collect": 6000, "fit": fits, "improve": improvements}
