"""Writes and reads fitted linear probes in a run's folder: `eval/probes_STEP.tree`, one file for each checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from worldmodels.core.errors import FileError, shortened
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.tree import tree_from_bytes, tree_to_bytes
from worldmodels.core.files.writing import make_own_folder, read_regular, remove_one, write_atomic

_SHAPES = {"weights": "vf", "constants": "v", "seen": "v", "ahead": "vk", "horizons": "k"}
"""The axes of each array: v variables, f features, k horizons."""


class Probes(NamedTuple):
    """Linear probes of V variables from F features, and how much each explained of windows that it was not fitted on.

    NaN where a variable was there too seldom to be probed.
    """

    units: dict[str, str]
    """The unit of each variable, by its name."""
    weights: np.ndarray
    """float64 (V, F)."""
    constants: np.ndarray
    """float64 (V,)."""
    seen: np.ndarray
    """float64 (V,): the share of variance that is explained from states that saw the frame."""
    ahead: np.ndarray
    """float64 (V, K): the same of imagined states, K numbers of steps after the last frame that was seen."""
    horizons: np.ndarray
    """int64 (K,): these numbers of steps."""

    def read(self, features: np.ndarray) -> np.ndarray:
        """Return the variables float64 (N, V) that are read from features (N, F)."""
        values: np.ndarray = features.astype(np.float64) @ self.weights.T + self.constants
        return values


def probes_path(run_dir: RunDir, step: int) -> Path:
    """Return the path of the probes of the checkpoint of a step."""
    return run_dir.eval / f"probes_{step:08d}.tree"


def write_probes(run_dir: RunDir, step: int, probes: Probes) -> Path:
    """Write the probes of a checkpoint, remove those whose checkpoints are gone, and return the path."""
    path = probes_path(run_dir, step)
    make_own_folder(path.parent)
    write_atomic(path, tree_to_bytes(probes._asdict()))
    kept = {probes_path(run_dir, each) for each in (step, *Checkpoints(run_dir.checkpoints).steps())}
    for other in run_dir.eval.glob("probes_*.tree"):
        if other not in kept:
            remove_one(other)
    return path


def read_probes(run_dir: RunDir, step: int) -> Probes | None:
    """Return the probes of the checkpoint of a step; None where there are none.

    Raises:
        FileError: the file is damaged; the text says how.
    """
    path = probes_path(run_dir, step)
    try:
        return _decode(read_regular(path))
    except FileNotFoundError:
        return None
    except (FileError, ValueError) as error:
        raise FileError(f"'{path}' holds no probes: {shortened(str(error))}. worldmodels eval makes them.") from error


def _decode(data: bytes) -> Probes:
    tree = tree_from_bytes(data)
    units: Any = tree.pop("units", None)
    if not isinstance(units, dict) or not all(isinstance(unit, str) for unit in units.values()):
        raise ValueError("its units must be texts by the names of variables")
    if set(tree) != set(_SHAPES) or not all(isinstance(array, np.ndarray) and array.ndim for array in tree.values()):
        raise ValueError(f"it must have the arrays {', '.join(_SHAPES)}, and has {', '.join(sorted(tree))}")
    probes = Probes(units, **tree)
    sizes = {"v": len(units), "f": probes.weights.shape[-1], "k": len(probes.horizons)}
    for name, axes in _SHAPES.items():
        array, kind = tree[name], np.int64 if name == "horizons" else np.float64
        wanted = tuple(sizes[axis] for axis in axes)
        if array.shape != wanted or array.dtype != kind:
            raise ValueError(f"{name} must be {kind.__name__} {wanted}, and is {array.dtype} {array.shape}")
        if np.isinf(array).any():
            raise ValueError(f"{name} must be finite, or not a number where nothing was probed")
    return probes
