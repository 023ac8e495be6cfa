"""Every preset, and every override that the documents promise, is a sound configuration."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import replace
from pathlib import Path

import pytest

from worldmodels.config.checks import check_config
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config, preset_names, to_dict
from worldmodels.core.errors import UserError
from worldmodels.training.loops.plan import TrainingPlan

DOCUMENT = (Path(__file__).parent.parent / "docs" / "simple.md").read_text()
SECTION = DOCUMENT.split("## The named settings")[1].split("Not there:")[0]
ROWS = re.findall(r"^\| (`[^|]*|the schedules[^|]*) \| `([^`]*)` \|$", SECTION, re.MULTILINE)
DEMO = {"demo": "dreamer_small", "demo_ppo": "ppo_nature"}
OF_EXTRAS = {
    "atari": ("dreamer", "ale_py", "atari"),
    "atari_simple": ("simple_small", "ale_py", "atari"),
    "crafter": ("dreamer", "crafter", "crafter"),
    "crafter_small": ("dreamer_small", "crafter", "crafter"),
    "dmc_proprio": ("dreamer", "shimmy", "dmc"),
    "dmc_proprio_small": ("dreamer_small", "shimmy", "dmc"),
    "dmc_vision": ("dreamer", "shimmy", "dmc"),
    "dmc_vision_small": ("dreamer_small", "shimmy", "dmc"),
}
"""Presets of environments that an extra brings: each with a preset below it, a package, and the extra."""
LEVEL_STUDY = {
    "100k_ppo": "ppo",
    "100k_simple": "simple_deterministic_small",
    "100k_dreamer": "dreamer_small",
}
PARTS = DEMO | LEVEL_STUDY | {"explore": "dreamer_small", "offline": "dreamer_small"}
"""Presets that go on top of another one."""


@pytest.mark.parametrize("name", [name for name in preset_names() if name not in PARTS | OF_EXTRAS])
def test_a_preset_is_sound(name: str) -> None:
    check_config(load_config(RunConfig, [name]))


@pytest.mark.parametrize(("part", "base"), PARTS.items())
def test_a_part_is_sound_on_top_of_its_base(part: str, base: str) -> None:
    overrides = ["training.initial_replay=anywhere"] if part == "offline" else []
    check_config(load_config(RunConfig, [base, part], overrides))


@pytest.mark.parametrize("part", OF_EXTRAS)
def test_a_part_of_an_extra_is_sound_or_says_how_to_install_it(part: str) -> None:
    base, package, extra = OF_EXTRAS[part]
    config = load_config(RunConfig, [base, part])
    if importlib.util.find_spec(package):
        check_config(config)
    else:
        with pytest.raises(UserError, match=re.escape(f"pip install 'worldmodels-lab[{extra}]'")):
            check_config(config)


def test_the_learners_of_the_demonstration_have_the_same_levels_and_steps() -> None:
    dream, plain = (load_config(RunConfig, [base, part]) for part, base in DEMO.items())
    for config in (dream, plain):
        check_config(config)
    assert (dream.env.game, dream.env.num_levels, dream.env.start_level) == ("coinrun", 20, 0)
    assert replace(plain.env, num_envs=dream.env.num_envs) == dream.env
    assert plain.training.steps == dream.training.steps


def test_the_methods_of_the_generalisation_grid_have_as_many_steps_and_one_agent() -> None:
    ppo, simple, dreamer = (load_config(RunConfig, [base, part]) for part, base in LEVEL_STUDY.items())
    assert ppo.training.steps == simple.training.steps == dreamer.training.steps == 100_000
    assert to_dict(simple.agent) | {"horizon": 50} == to_dict(ppo.agent)


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
        (["training.improve_factors=[1,2,1,1,1,1,1,2,1,1,1,2,1,1,3]"], 15, 255_000, 20_000),
    ],
)
def test_simple_does_as_much_as_was_published(overrides: list[str], turns: int, fits: int, improvements: int) -> None:
    config = load_config(RunConfig, ["simple"], overrides)
    plan = TrainingPlan(config.training, config.env.num_envs)  # type: ignore[arg-type]
    assert plan.turns() == turns
    # 6000 steps of 16 environments are 96,000.
    assert plan.remaining(plan.start(0)) == {"collect": 6000, "fit": fits, "improve": improvements}
