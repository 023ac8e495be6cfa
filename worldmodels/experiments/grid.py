"""Makes a grid of runs from its file: a variant is a combination of values, trained with several seeds.

Finds runs by the folder or the file of their grid.
"""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from worldmodels.analysis.runs.folders import walk_folders
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.presets import find_grid, grid_names
from worldmodels.core.configuration.sections import to_dict
from worldmodels.core.errors import ConfigError, RunError, UserError, shortened
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.yaml_files import parse_value, read_mapping
from worldmodels.experiments.grid_file import MOST_RUNS, GridFile, folder_name, read_grid_file, short_keys, value_texts
from worldmodels.training.check import check_run, is_finished
from worldmodels.training.launch import parse_config

NAME_LENGTH = 200
"""The longest name of a variant. File systems take 255 bytes, and temporary names are longer."""


@dataclass(frozen=True)
class GridRun:
    """One run of a grid: a folder, and the command that trains in it."""

    name: str
    """The variant and the seed, "lr_0.001/seed_0": the folder below the grid's folder."""
    path: Path
    files: Sequence[str]
    overrides: Sequence[str]

    @property
    def log(self) -> Path:
        """The file beside the run's folder with the output of its training; `seed_*` matches folders alone."""
        return training_log(self.path)

    @cached_property
    def config(self) -> RunConfig:
        """The configuration, as `worldmodels train` reads it; raises ConfigError if it cannot be used."""
        return parse_config(self.files, self.overrides, self.path)

    def is_finished(self) -> bool:
        """Return whether the run exists, and has reached the end that its configuration sets."""
        run = RunDir(self.path)
        return run.exists() and is_finished(run, self.config)

    def command(self) -> list[str]:
        """Return the command that trains or continues the run."""
        train = [sys.executable, "-m", "worldmodels", "train", "--config", *self.files, *self.overrides]
        return [*train, "--logdir", str(self.path)]


def training_log(run: Path) -> Path:
    """Return the file beside a run's folder with the output of its training."""
    return run.with_name(f"log_{run.name}.txt")


class Grid(NamedTuple):
    """All runs of an experiment, seed by seed: after an early end all variants have the same seeds."""

    name: str
    folder: Path
    runs: Sequence[GridRun]
    vary: Mapping[str, Sequence[Any]]
    """The values by key; variants are their combinations, of which the last key varies fastest."""

    def check(self) -> None:
        """Check every run as `worldmodels train` does; write nothing, and load no TensorFlow.

        Raises:
            UserError: a run cannot be trained; the text names its variant.
        """
        if RunDir(self.folder).exists():
            raise RunError(f"'{self.folder}' is a run, and the folder of a grid holds runs. Choose another 'logdir'.")
        self._check_alone()
        seen: dict[str, str] = {}
        for run in self.runs:
            try:
                config = run.config
                check_run(config, run.path)
            except UserError as error:
                raise UserError(f"Grid '{self.name}', {run.name}: {error}") from error
            other = seen.setdefault(json.dumps(to_dict(config), sort_keys=True, allow_nan=False), run.name)
            if other != run.name:
                raise ConfigError(f"Grid '{self.name}': {other} and {run.name} are the same run under two names.")

    def _check_alone(self) -> None:
        """Raise RunError if the folder holds runs, but none of this grid."""
        found = sorted(str(meta.parent.relative_to(self.folder)) for meta in self.folder.glob("*/seed_*/meta.json"))
        if found and not {run.name for run in self.runs} & set(found):
            more = f" and {len(found) - 3} more" if len(found) > 3 else ""
            raise RunError(
                f"'{self.folder}' is the folder of another grid: it holds {', '.join(found[:3])}{more}, and the grid "
                f"'{self.name}' has {self.runs[0].name}. Choose another 'logdir'."
            )


def load_grid(file: str | Path) -> Grid:
    """Return the grid of a YAML file, or the shipped grid of a bare name; see `make_grid`."""
    path = find_grid(file)
    return make_grid(read_mapping(path), path.stem, str(path))


def make_grid(tree: Mapping[str, Any], name: str, where: str = "") -> Grid:
    """Return the grid that a mapping with the keys of `GridFile` describes.

    Args:
        name: the name of the grid, of its default folder `runs/NAME`, and of a single variant.
        where: the origin of the mapping, for errors.

    Raises:
        ConfigError: the mapping cannot be used. The runs are checked by `Grid.check`.
    """
    where = where or f"grid '{shortened(name)}'"
    spec = read_grid_file(tree, where)
    count = math.prod(len(values) for values in spec.vary.values()) * len(spec.all_seeds)
    if count > MOST_RUNS:
        raise ConfigError(f"{where}: the grid has {count:,} runs, and may have {MOST_RUNS:,}.")
    folder = Path(spec.logdir or f"runs/{folder_name(name)}")
    variants = list(_variants(spec, folder_name(name), where))
    runs = []
    for index, seed in enumerate(spec.all_seeds):
        own = [*(_override(key, values[index]) for key, values in spec.by_seed.items()), f"seed={seed}"]
        for variant, files, overrides in variants:
            path = folder / variant / f"seed_{seed}"
            runs.append(GridRun(f"{variant}/seed_{seed}", path, files, [*overrides, *own]))
    return Grid(name, folder, runs, spec.vary)


def _variants(spec: GridFile, grid: str, where: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the name, the files and the overrides of each variant; a single variant has the name of the grid."""
    varying = [key for key, values in spec.vary.items() if len(values) > 1]
    keys = short_keys(varying, spec.names)
    if len({short.casefold() for short in keys.values()}) < len(keys):
        raise ConfigError(f"{where}: 'names' gives one name to two keys: {', '.join(keys.values())}.")
    texts = [value_texts(key, values) if key in keys else [""] for key, values in spec.vary.items()]
    for values, labels in zip(product(*spec.vary.values()), product(*texts), strict=True):
        chosen = dict(zip(spec.vary, values, strict=True))
        parts = [f"{keys[key]}_{label}" for key, label in zip(chosen, labels, strict=True) if key in keys]
        name = "_".join(parts) or grid
        if len(name) > NAME_LENGTH:
            raise ConfigError(f"{where}: the name '{name}' is too long for a folder. Give shorter 'names'.")
        files = chosen.pop("config", spec.config)
        overrides = [_override(key, value) for key, value in {**spec.overrides, **chosen}.items()]
        yield name, [files] if isinstance(files, str) else list(files), overrides


def _override(key: str, value: Any) -> str:
    """Return "key=value" as `worldmodels train` reads it, without needless quotes."""
    if isinstance(value, str) and _reads_as_itself(value):
        return f"{key}={value}"
    return f"{key}={json.dumps(value, allow_nan=False)}"


def _reads_as_itself(text: str) -> bool:
    try:
        return bool(parse_value(text, text) == text)
    except ConfigError:
        return False


def find_grids(paths: Sequence[Path | str]) -> dict[Path | str, Grid]:
    """Return the grids of all paths that are files or names of grids; an existing folder is no grid file.

    Raises:
        UserError: a file cannot be read, or no run of its grid has begun.
    """
    grids = {path: load_grid(path) for path in paths if _is_grid_file(path)}
    for path, grid in grids.items():
        if not grid.folder.is_dir():
            command = shlex.join(["worldmodels", "grid", str(path)])
            raise RunError(
                f"No run of the grid '{grid.name}' has begun: there is no folder '{grid.folder}'. "
                f"'{command}' trains it."
            )
    return grids


def begun_runs(path: Path | str) -> list[Path]:
    """Return the folders of all runs of a path: a run, or the folder or file of a grid.

    Raises:
        UserError: there is no run.
    """
    grids = find_grids([path])
    folder = grids[path].folder if path in grids else Path(path)
    if RunDir(folder).exists() or not folder.is_dir():
        return [RunDir.open(folder).path]
    return [run for run in walk_folders([folder]) if RunDir(run).exists()] or [RunDir.open(folder).path]


def _is_grid_file(path: Path | str) -> bool:
    return not Path(path).is_dir() and (Path(path).suffix in (".yaml", ".yml") or str(path) in grid_names())
