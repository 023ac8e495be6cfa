"""Every script of the benchmarks can be imported, and the configurations of all of them are valid."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import archive
import classics
import collector_speed
import explored_world
import gpu
import patch_motions
import preset_speed
import pytest
import roofline
import sharp
import world_model_recipe
from archive import Archive
from peers.jobs import Places, SideJob
from peers.tasks import METHODS, TASKS, cells
from precisions import models as precision_models
from precisions import runs as precision_runs
from speed import dreamer, next_frame, ppo, quality, sizes

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config

BENCHMARKS = Path(archive.__file__).parent
NOT_OURS = ("procgen", "stable_baselines3", "sb3_contrib", "playwright", "torch", "ale_py")
"""Packages of peers and of browsers, which a script may need and these tests do without."""
Settings = tuple[Sequence[str], Sequence[str]]
"""Presets, and overrides as KEY=VALUE."""


def modules() -> Iterator[str]:
    for path in sorted(BENCHMARKS.rglob("*.py")):
        yield ".".join(path.relative_to(BENCHMARKS).with_suffix("").parts)


@pytest.mark.parametrize("name", [name for name in modules() if not name.endswith("__init__")])
def test_it_can_be_imported(name: str) -> None:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        assert error.name in NOT_OURS, f"{name} needs {error.name}"


def words(values: Mapping[str, Any]) -> list[str]:
    return [f"{key}={json.dumps(value)}" for key, value in values.items()]


def of_the_peers(folder: Path) -> Iterator[Settings]:
    for cell in cells(list(TASKS), list(METHODS), [1], ["ours"]):
        command = list(SideJob(cell, Places(folder, Archive(folder / "none.jsonl"), None)).command() or [])
        preset, *overrides = command[command.index("--config") + 1 : command.index("--logdir")]
        yield [preset], overrides


def of_explored_worlds(_: Path) -> Iterator[Settings]:
    yield ["dreamer_small", "explore"], words(explored_world.EXPLORE)
    yield ["dreamer_small"], words(explored_world.TASK)


def of_collectors(_: Path) -> Iterator[Settings]:
    for preset, *overrides in collector_speed.TASKS.values():
        yield [preset], [*overrides, "training.collectors=1"]


def of_presets(_: Path) -> Iterator[Settings]:
    for preset, overrides in preset_speed.PRESETS.items():
        yield [preset], overrides


def of_learners_on_a_device(_: Path) -> Iterator[Settings]:
    for preset, overrides in (*gpu.LEARNERS.values(), *roofline.LEARNERS.values()):
        yield [preset], overrides


def of_recipes(_: Path) -> Iterator[Settings]:
    for recipe in world_model_recipe.RECIPES:
        yield ["dreamer_small"], world_model_recipe.settings_of(recipe, 600)


def of_precisions(_: Path) -> Iterator[Settings]:
    for preset, *_rest in precision_models.PRESETS.values():
        yield [preset], []
    for what in ("ppo_return", "dreamer_return"):
        presets, values = precision_runs.settings_of(what, 60_000, "float32", 1)
        yield presets, words({"env.game": "coinrun", **values})


def of_ppo(_: Path) -> Iterator[Settings]:
    for world in (ppo.COINRUN, ppo.PONG):
        yield [], ppo.settings(world)


def of_next_frame_models(_: Path) -> Iterator[Settings]:
    for preset in (*next_frame.PRESETS, *quality.PAIRS, *quality.PAIRS.values()):
        yield [preset.removesuffix(next_frame.MEAN)], []


def of_sharp_models(_: Path) -> Iterator[Settings]:
    for world, family in product(sharp.WORLDS, sharp.FAMILIES):
        yield family.split(), sharp.settings_of(world, family, 1_000)


@pytest.mark.parametrize(
    "settings",
    [
        of_the_peers,
        of_explored_worlds,
        of_collectors,
        of_presets,
        of_learners_on_a_device,
        of_recipes,
        of_precisions,
        of_ppo,
        of_next_frame_models,
        of_sharp_models,
    ],
    ids=lambda function: function.__name__,
)
def test_the_configurations_are_valid(settings: Callable[[Path], Iterator[Settings]], tmp_path: Path) -> None:
    found = [load_config(RunConfig, presets, overrides) for presets, overrides in settings(tmp_path)]
    assert len(found) > 1


def test_layouts_and_sizes_are_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dreamer, "Learner", lambda model, agent, *_: (model, agent))
    made: dict[str, Any] = dict(dreamer.learners())
    assert made["reference"][0].recurrent == 256
    for game in patch_motions.GAMES:
        for layout in patch_motions.LAYOUTS:
            assert patch_motions.config_of(game, layout).model.kind == "deterministic"
    for setting in sizes.SETTINGS:
        model: Any = sizes.configured(setting).model
        assert model.recurrent == setting.width


def test_a_report_of_no_cells_is_not_written(tmp_path: Path) -> None:
    classics.write_report(Places(tmp_path, Archive(tmp_path / "none.jsonl"), None))
    assert not list(tmp_path.iterdir())
