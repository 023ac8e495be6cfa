from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from worldmodels.core.errors import ConfigError
from worldmodels.core.run_dir import RunDir
from worldmodels.envs.config import EnvConfig
from worldmodels.evaluation import run
from worldmodels.runtime.config import EvaluationConfig

SETTINGS = EvaluationConfig(
    episodes=4, temperatures=(0.0, 1.0), noops=(0, 2), max_steps=8, context=2, horizon=3, windows=6
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: SimpleNamespace) -> Path:
    """A run of the counting world, whose policy always takes action 2."""
    config = SimpleNamespace(env=EnvConfig(game="coinrun"), evaluation=SETTINGS)
    loaded = SimpleNamespace(
        run_dir=RunDir(tmp_path),
        config=config,
        step=500,
        parts=SimpleNamespace(model=parts.CountingModel(), world_model=parts.CountingModel(), agent=None),
    )

    class Actor(parts.ConstantActor):
        def __init__(self, model: object, agent: object, num_envs: int, key: object) -> None:
            super().__init__(2)

        def reset(self, key: object, temperature: float = 1.0) -> None:
            pass

    monkeypatch.setattr(run, "load_run", lambda path, step: loaded)
    monkeypatch.setattr(run, "build_env", lambda config, num_envs: parts.CountingEnv([3, 4, 5, 9][:num_envs]))
    monkeypatch.setattr(run, "ModelActor", Actor)
    monkeypatch.setattr(run, "VIDEO_STEPS", 4)
    return tmp_path


def test_the_result_is_kept_as_json_pictures_and_a_video(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = run.evaluate_run(folder, {})
    assert result == folder / "eval" / "step_00000500.json"
    tree = json.loads(result.read_text())
    assert [(cell["temperature"], cell["noops"]) for cell in tree["returns"]] == [(0, 0), (1, 0), (0, 2), (1, 2)]
    policy = tree["returns"][0]["policy"]
    # Episodes of 3, 4, 5 and 9 steps, cut at 8, each step worth 2: returns 6, 8, 10 and 16, one unfinished.
    assert policy["returns"] == [6, 8, 10, 16]
    assert (policy["n"], policy["mean"], policy["unfinished"]) == (4, 10, 1)
    assert policy["normalised"] == 1.0
    assert tree["returns"][0]["above_random"]["n"] == 8
    assert tree["world_model"]["image_error"]["mean"] == [0, 0, 0]
    assert tree["settings"]["windows"] == 6
    names = sorted(path.name for path in (folder / "eval").iterdir())
    assert names == ["step_00000500.json", "step_00000500_returns.png", "step_00000500_world_model.png"]
    assert (folder / "videos" / "evaluation_00000500.mp4").stat().st_size > 1000
    printed = capsys.readouterr().out
    assert "unfinished" in printed and "image error, last frame copied" in printed
    assert "…" not in printed  # no column is too narrow on a terminal of 80 columns


def test_a_mixture_is_reported_per_game_as_well(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    load = run.load_run
    config = SimpleNamespace(env=EnvConfig(game="coinrun, maze", num_envs=4), evaluation=SETTINGS)
    monkeypatch.setattr(
        run, "load_run", lambda path, step: SimpleNamespace(**{**vars(load(path, step)), "config": config})
    )
    tree = json.loads(run.evaluate_run(folder, {"temperatures": [1.0], "noops": [0]}).read_text())
    policy = tree["returns"][0]["policy"]
    # Environments take turns: coinrun is played by the first and third, maze by the second and fourth.
    assert policy["mean"] == 10 and policy["normalised"] is None
    assert {name: part["returns"] for name, part in policy["games"].items()} == {"coinrun": [6, 10], "maze": [8, 16]}
    assert policy["games"]["maze"]["normalised"] == (12 - 5) / (10 - 5)
    assert "temp. 1, maze" in capsys.readouterr().out


def test_the_same_seed_gives_the_same_file_and_another_one_does_not(folder: Path) -> None:
    def evaluate(seed: int) -> dict:
        tree = json.loads(run.evaluate_run(folder, {"temperatures": [1.0]}, seed=seed).read_text())
        del tree["created"]
        return tree

    assert evaluate(3) == evaluate(3)
    assert evaluate(3)["returns"] != evaluate(4)["returns"]


def test_settings_are_checked(folder: Path) -> None:
    with pytest.raises(ConfigError, match="episode_count"):
        run.evaluate_run(folder, {"episode_count": 3})
    with pytest.raises(ConfigError, match="evaluation.episodes is 0; it must be at least 1"):
        run.evaluate_run(folder, {"episodes": 0})
    with pytest.raises(ConfigError, match=r"evaluation.temperatures holds -1.0; they must be 0 or more"):
        run.evaluate_run(folder, {"temperatures": [1.0, -1.0]})
    with pytest.raises(ConfigError, match=r"evaluation.noops is empty"):
        run.evaluate_run(folder, {"noops": []})
