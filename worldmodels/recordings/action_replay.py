"""Replays recorded actions, and compares the frames with the hashes in the recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import Observation
from worldmodels.envs import EnvConfig, GameEnv, make
from worldmodels.envs.config import FOREIGN, WITHOUT_EFFECT, changed
from worldmodels.recordings.action_recording import Action, ActionRecording, RecordingError, frame_hash
from worldmodels.recordings.single_env import SingleEnv


class ReplayedStep(NamedTuple):
    """A frame of a replayed recording, the step before it, and the action after it."""

    episode: int
    """The number of the episode, from 1."""
    step: int
    """The number of steps before it in its episode."""
    observation: Observation
    reward: float
    """The reward of the step before the frame; 0 at a first frame."""
    terminated: bool
    truncated: bool
    action: Action | None
    """The action taken; None after the last recorded step."""


def replay_actions(played: ActionRecording, name: Path | str = "the recording") -> Iterator[ReplayedStep]:
    """Replay a recording, and compare its frames with the recorded hashes.

    Args:
        name: the name of the recording, for errors.

    Raises:
        RecordingError: a frame differs; the text names the episode and the step.
    """
    env: Any = _env(played, name)
    try:
        for number, episode in enumerate(played.episodes, start=1):
            where = f"'{name}', episode {number}"
            observation, _ = env.reset(seed=played.seed if number == 1 else None)
            reward, terminated, truncated = 0.0, False, False
            agrees = _Agreement(episode.seen, where)
            for step, action in enumerate((*episode.actions, None)):
                agrees.check(step, observation)
                yield ReplayedStep(number, step, observation, reward, terminated, truncated, action)
                if action is None:
                    break
                if terminated or truncated:
                    raise RecordingError(f"{where}: the game ended after step {step}, the recording goes on.")
                _check_action(action, env, f"{where}, step {step + 1}")
                observation, gained, terminated, truncated, _ = env.step(action)
                reward = float(gained)
    finally:
        env.close()


def verify_recording(played: ActionRecording, name: Path | str = "the recording") -> None:
    """Replay a recording to its end; raises RecordingError as `replay_actions` does."""
    for _ in replay_actions(played, name):
        pass


def recorded_options(config: EnvConfig) -> dict[str, Any]:
    """Return the options of a foreign environment that a recording keeps: those with an effect and another value than
    the default."""
    return {key: getattr(config, key) for key in changed(config, FOREIGN) if key not in WITHOUT_EFFECT}


def foreign_config(played: ActionRecording, name: Path | str = "the recording") -> EnvConfig:
    """Return the configuration of the foreign environment of a recording.

    Raises:
        RecordingError: its options are not those of such an environment.
    """
    try:
        return from_dict(EnvConfig, {"game": played.game, **played.options}, f"'{name}', line 1")
    except ConfigError as error:
        raise RecordingError(f"The recording is damaged: {error}") from error


def _env(played: ActionRecording, name: Path | str) -> GameEnv | SingleEnv:
    if played.is_native:
        return make(played.game, **played.options)
    return SingleEnv(foreign_config(played, name))


def _check_action(action: Action, env: GameEnv | SingleEnv, where: str) -> None:
    if isinstance(env, SingleEnv) and not env.action_spec.is_discrete:
        count = len(action) if isinstance(action, tuple) else 0
        if count != env.action_spec.size:
            raise RecordingError(f"{where}: an action must be {env.action_spec.size} numbers. Received {count}.")
        return
    choices = env.action_spec.count if isinstance(env, SingleEnv) else int(env.action_space.n)
    if not isinstance(action, int) or not 0 <= action < choices:
        raise RecordingError(f"{where}: an action must be from 0 to {choices - 1}. Received {action}.")


class _Agreement:
    """Compares the frames of one episode with their recorded hashes."""

    def __init__(self, seen: Mapping[int, str], where: str):
        self._seen, self._where = seen, where
        self._hashed, self._agreed = "", 0

    def check(self, step: int, observation: Observation) -> None:
        self._hashed = frame_hash(observation, self._hashed)
        if step not in self._seen:
            return
        if self._hashed != self._seen[step]:
            raise RecordingError(
                f"{self._where}: agrees up to step {self._agreed}, and no more at step {step}. The file was changed, "
                "or it was recorded with another version of the game."
            )
        self._agreed = step
