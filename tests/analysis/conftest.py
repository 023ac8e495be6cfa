"""Run folders of a few numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

RunMaker = Callable[..., Path]


@pytest.fixture
def make_run(tmp_path: Path) -> RunMaker:
    """Make `runs/METHOD/GAME_SEED` with a value at the steps 10, 20, ..., and others that are the same everywhere."""

    def make(
        method: str,
        game: str,
        returns: Sequence[float],
        seed: int = 0,
        value: str = "episode/return",
        mode: str = "easy",
        others: Mapping[str, float] | None = None,
    ) -> Path:
        folder = tmp_path / "runs" / method / f"{game.replace('/', '_')}_{mode}_{seed}"
        folder.mkdir(parents=True)
        env = f"env:\n  game: {game}\n  distribution_mode: {mode}\n"
        (folder / "config.yaml").write_text(f"seed: {seed}\n{env}agent:\n  kind: {method}\n")
        lines = [
            json.dumps({"step": 10 * (i + 1), value: number, **(others or {})}) for i, number in enumerate(returns)
        ]
        (folder / "metrics.jsonl").write_text("".join(line + "\n" for line in lines))
        return folder

    return make


@pytest.fixture
def make_level_run(tmp_path: Path) -> RunMaker:
    """Make `runs/METHOD_LEVELS_SEED` with values at one step."""

    def make(method: str, levels: int, seed: int, values: Mapping[str, float], step: int = 100) -> Path:
        folder = tmp_path / "runs" / f"{method}_{levels}_{seed}"
        folder.mkdir(parents=True)
        env = f"env:\n  game: coinrun\n  num_levels: {levels}\n  start_level: {1000 * seed}\n"
        precision = "float32" if seed else "bfloat16"
        (folder / "config.yaml").write_text(f"seed: {seed}\nprecision: {precision}\n{env}agent:\n  kind: {method}\n")
        (folder / "metrics.jsonl").write_text(json.dumps({"step": step, **values}) + "\n")
        return folder

    return make
