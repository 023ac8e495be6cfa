"""Turns recordings of the player into the experience that a run begins with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worldmodels.core.errors import ConfigError
from worldmodels.core.types import Step
from worldmodels.envs.config import EnvConfig, complete_options, game_options
from worldmodels.recordings.action_recording import ActionRecording, read_recording
from worldmodels.recordings.action_replay import ReplayedStep, replay_actions

LEVEL_OPTIONS = ("num_levels", "start_level", "skip_layouts")
"""The options that choose levels, and change neither their look nor their rules."""


def load_demonstrations(files: Sequence[str], env: EnvConfig) -> list[Step]:
    """Replay recordings, and return all of them as steps of `env.num_envs` environments.

    The replayed steps are cut into pieces of equal length, one for each environment. A cut truncates an episode, and
    begins a new one. A rest of less than one frame for each environment is left out.

    Raises:
        RecordingError: a file is damaged, or does not agree with the game.
        ConfigError: a file is of another game, or there are too few frames for all environments.
    """
    replayed: list[tuple[Any, ...]] = []
    for name in files:
        recording = read_recording(name)
        _check_same_game(name, recording, env)
        replayed += [_fields(step) for step in replay_actions(recording, name)]
    if files and len(replayed) < env.num_envs:
        raise ConfigError(
            f"training.demonstrations hold {len(replayed)} frames; they are divided among env.num_envs = "
            f"{env.num_envs} environments, and each must get at least one."
        )
    return _side_by_side(replayed, env.num_envs)


def _side_by_side(replayed: Sequence[tuple[Any, ...]], num_envs: int) -> list[Step]:
    """Return the steps of one environment as steps of `num_envs` environments, in pieces of equal length."""
    length = len(replayed) // num_envs
    steps = []
    for t in range(length):
        row = [replayed[env * length + t] for env in range(num_envs)]
        step = Step(*map(np.stack, zip(*row, strict=True)))
        edge = np.ones(num_envs, bool)
        first, last = (edge & (t == end) for end in (0, length - 1))
        reward = np.where(first, np.float32(0), step.reward).astype(np.float32)
        steps.append(step._replace(reward=reward, is_first=step.is_first | first, is_last=step.is_last | last))
    return steps


def _fields(step: ReplayedStep) -> tuple[Any, ...]:
    """Return the fields of a `Step` of one environment."""
    left = step.action is None
    flags = (step.step == 0, left or step.terminated or step.truncated, step.terminated)
    action = np.int32(step.action) if isinstance(step.action, int) else np.int32(0)
    return step.observation, np.float32(step.reward), *map(np.bool_, flags), action


def _check_same_game(name: str, recording: ActionRecording, env: EnvConfig) -> None:
    if recording.game not in env.games:
        raise ConfigError(
            f"training.demonstrations: '{name}' was played in '{recording.game}'; this run plays "
            f"{', '.join(env.games)}."
        )
    if not recording.is_native:
        raise ConfigError(f"training.demonstrations are recordings of native games; '{name}' is of '{recording.game}'.")
    theirs, ours = complete_options(recording.options), game_options(env)
    different = {key: (theirs[key], ours[key]) for key in ours if theirs[key] != ours[key] and key not in LEVEL_OPTIONS}
    for key, (there, here) in different.items():
        raise ConfigError(f"training.demonstrations: '{name}' was played with {key} {there!r}; this run has {here!r}.")
