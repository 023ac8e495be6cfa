"""`worldmodels foresee` with a model that knows when its world ends."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf
from image_spaces import image_spec

from worldmodels.core.errors import UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.envs import make
from worldmodels.evaluation import forecast
from worldmodels.recordings.action_recording import ActionRecording, RecordedEpisode, write_recording


class Clock:
    """A world that ends after `end` actions, whatever they are."""

    spec = image_spec((64, 64, 3), 15, (64, 64, 3))

    def __init__(self, end: int) -> None:
        self.end = end

    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None):
        return tf.range(observations.shape[1], dtype=tf.float32)[None]

    def imagine(self, state, action, temperature, seed):
        return state + 1

    def readable(self, state):
        return state

    def reward(self, state):
        return state

    def continuation(self, state):
        return tf.cast(state < self.end, tf.float32)


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[Path, int]:
    """A recording of two episodes, of which the first ends and the second is left after two steps; and its length."""
    env, generator, actions = make("starpilot", num_levels=1), np.random.default_rng(0), []
    env.reset(seed=0)
    ended = False
    while not ended:
        actions.append(int(generator.integers(15)))
        _, _, ended, truncated, _ = env.step(actions[-1])
        assert not truncated
    episodes = [RecordedEpisode(actions), RecordedEpisode([4, 4])]
    file = tmp_path / "play.jsonl"
    write_recording(file, ActionRecording("starpilot", {"num_levels": 1}, 0, episodes))
    return file, len(actions)


@pytest.fixture
def run(tmp_path: Path, recorded: tuple[Path, int], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run whose model knows when the first episode ends."""
    loaded = SimpleNamespace(run_dir=RunDir(tmp_path), step=70, parts=SimpleNamespace(world_model=Clock(recorded[1])))
    monkeypatch.setattr(forecast, "load_run", lambda path: loaded)
    return tmp_path


def test_the_end_that_is_predicted_is_told_and_drawn(
    run: Path, recorded: tuple[Path, int], capsys: pytest.CaptureFixture[str]
) -> None:
    file, length = recorded
    path = forecast.forecast_run(run, file, horizon=5)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    assert path == run / "eval" / f"forecast_00000070_play_{digest}_1.png" and path.stat().st_size > 1000
    told = f"The model predicted the end 5 steps ahead, at step {length - 5}, and from then on every time."
    assert told in capsys.readouterr().out


def test_an_episode_that_was_left_has_no_picture(
    run: Path, recorded: tuple[Path, int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert forecast.forecast_run(run, recorded[0], episode=2) is None
    assert "left before the game ended it: there is no end to predict" in capsys.readouterr().out
    assert not list(run.rglob("*.png"))


def test_what_cannot_be_asked_is_refused(run: Path, recorded: tuple[Path, int]) -> None:
    with pytest.raises(UserError, match="horizon must be 1 or more. Received 0"):
        forecast.forecast_run(run, recorded[0], horizon=0)
    with pytest.raises(UserError, match="has 2 episodes. Received the number 3"):
        forecast.forecast_run(run, recorded[0], episode=3)
