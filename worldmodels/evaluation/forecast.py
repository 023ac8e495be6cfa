"""Runs `worldmodels foresee`: prints when a run's model predicts the end of a recorded episode."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from worldmodels.analysis.plots.evaluation_plots import plot_forecast
from worldmodels.core.errors import UserError
from worldmodels.core.seeding import Streams
from worldmodels.evaluation.predictions.termination_forecast import (
    TerminationForecast,
    TerminationForecaster,
    replay_episode,
)
from worldmodels.loading.load import load_run
from worldmodels.recordings.action_recording import read_recording


def forecast_run(run: str | Path, file: str | Path, episode: int = 1, horizon: int = 50, seed: int = 0) -> Path | None:
    """Print when a run's model predicts the end of an episode, draw its predictions, and return the picture's path.

    An episode that was left before the game ended it has no end to predict: that is said, and None is returned.

    Args:
        file: a recording of actions.
        episode: its number in the recording, from 1.
        horizon: steps that the model looks ahead.
        seed: of the model's samples.

    Raises:
        UserError: the run has no world model, the recording is damaged or has no such episode.
    """
    if horizon < 1:
        raise UserError(f"The horizon must be 1 or more. Received {horizon}.")
    recording = read_recording(file)
    replayed = replay_episode(recording, episode, file)
    length = len(replayed.actions)
    if not length:
        raise UserError(f"Episode {episode} of '{file}' has no step.")
    loaded = load_run(run)
    forecaster = TerminationForecaster(loaded.parts.world_model, horizon)
    print(f"Episode {episode} of {file}: {length} steps, return {replayed.total:g}.")
    if not replayed.terminated:
        print("It was left before the game ended it: there is no end to predict, and no picture is written.")
        return None
    forecast = forecaster.forecast(replayed, Streams(seed).key("foresee"))
    print(_verdict(forecast, horizon))
    name = f"{loaded.step:08d}_{Path(file).stem}_{_digest(file)}_{episode}"
    save = loaded.run_dir.eval / f"forecast_{name}.png"
    title = f"{recording.game}, {Path(file).stem}, episode {episode}"
    path = plot_forecast(forecast.predicted_end, forecast.first_correct, save, title)
    print(f"Written:\n  {path}")
    return path


def _digest(file: str | Path) -> str:
    """Return eight digits of a hash of a file: recordings of `eval` in different folders have the same names."""
    return sha256(Path(file).read_bytes()).hexdigest()[:8]


def _verdict(forecast: TerminationForecast, horizon: int) -> str:
    first = forecast.first_correct
    if first is None:
        return f"The model, looking {horizon} steps ahead, never predicted the end."
    ahead = forecast.length - first
    return f"The model predicted the end {ahead} steps ahead, at step {first}, and from then on every time."
