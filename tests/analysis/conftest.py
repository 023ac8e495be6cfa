"""Run folders of a few numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

RunMaker = Callable[..., Path]


@pytest.fixture
def make_run(tmp_path: Path) -> RunMaker:
    """Make `runs/METHOD/GAME_SEED` with a value at the steps 10, 20, ..."""

    def make(
        method: str,
        game: str,
        returns: Sequence[float],
        seed: int = 0,
        value: str = "episode/return",
        mode: str = "easy",
    ) -> Path:
        folder = tmp_path / "runs" / method / f"{game.replace('/', '_')}_{mode}_{seed}"
        folder.mkdir(parents=True)
        env = f"env:\n  game: {game}\n  distribution_mode: {mode}\n"
        (folder / "config.yaml").write_text(f"seed: {seed}\n{env}agent:\n  kind: {method}\n")
        lines = [json.dumps({"step": 10 * (i + 1), value: number}) for i, number in enumerate(returns)]
        (folder / "metrics.jsonl").write_text("".join(line + "\n" for line in lines))
        return folder

    return make
