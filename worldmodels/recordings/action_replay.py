"""Replays recorded actions, and compares the frames with the hashes in the recording.

Makes one copy of a foreign environment, with the observations and actions of a run.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.errors import ConfigError, UserError, shortened
from worldmodels.core.specs import Observation
from worldmodels.envs import EnvConfig, GameEnv, can_save, make, make_vec
from worldmodels.envs.config import FOREIGN, WITHOUT_EFFECT, changed
from worldmodels.envs.foreign.vector_env import ForeignVectorEnv
from worldmodels.recordings.action_recording import Action, ActionRecording, RecordingError, frame_hash


class SingleEnv:
    """A foreign environment with the `reset` and `step` of Gymnasium, without the leading axis of copies.

    Attributes:
        can_save: whether `get_state` and `set_state` work.
        why_not_saved: why they do not work, in a clause; "" if they work.
    """

    def __init__(self, config: EnvConfig) -> None:
        self._envs = make_one(config)
        self.observation_spec, self.action_spec = self._envs.observation_spec, self._envs.action_spec
        self.can_save = can_save(self._envs)
        self.why_not_saved = self._envs.why_not_saved

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, and return its first observation."""
        observations, _ = self._envs.reset(seed=seed)
        return self._row(observations), {}

    def step(self, action: Action) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step, as in Gymnasium."""
        actions = np.array([action], self.action_spec.dtype)
        observations, rewards, terminated, truncated, _ = self._envs.step(actions)
        return self._row(observations), float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {}

    def picture(self) -> npt.NDArray[np.uint8] | None:
        """Return the picture of the render mode "rgb_array", uint8 (H, W, 3) of any size, or None."""
        (picture,) = self._envs.render() or (None,)
        if not isinstance(picture, np.ndarray) or picture.dtype != np.uint8:
            return None
        return picture if picture.ndim == 3 and picture.shape[-1] == 3 else None

    def action_names(self) -> list[str]:
        """Return the name of each choice, or of each number of a box."""
        return self._envs.action_meanings()

    def get_state(self) -> bytes:
        """Return the exact state; raises `UserError` if it cannot be saved."""
        return self._envs.get_state()[0]

    def set_state(self, state: bytes) -> None:
        """Restore a state that `get_state` returned."""
        self._envs.set_state([state])

    def close(self) -> None:
        """Close the environment."""
        self._envs.close()

    def _row(self, observations: Any) -> Any:
        arrays = self.observation_spec.arrays(observations)
        return self.observation_spec.pack({name: array[0] for name, array in arrays.items()})


def make_one(config: EnvConfig, render_mode: str | None = None) -> ForeignVectorEnv:
    """Make a vector environment of one foreign environment; raises `UserError` as `make_vec` does."""
    return cast(ForeignVectorEnv, make_vec(config, num_envs=1, render_mode=render_mode))


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


def replay_actions(
    played: ActionRecording, name: Path | str = "the recording", game: str = ""
) -> Iterator[ReplayedStep]:
    """Replay a recording, and compare its frames with the recorded hashes.

    Args:
        name: the name of the recording, for errors.
        game: the game that the person named; a game that imports a module is made if it is this one.

    Raises:
        RecordingError: a frame differs; the text names the episode and the step.
        UserError: the recording's game imports a module and is not `game`.
    """
    env: Any = _env(played, name, game)
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


def verify_recording(played: ActionRecording, name: Path | str = "the recording", game: str = "") -> None:
    """Replay a recording to its end; raises the errors of `replay_actions`."""
    for _ in replay_actions(played, name, game):
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
        return from_dict(EnvConfig, {**played.options, "game": played.game}, f"'{name}', line 1")
    except ConfigError as error:
        raise RecordingError(f"The recording is damaged: {error}") from error


def _env(played: ActionRecording, name: Path | str, game: str) -> GameEnv | SingleEnv:
    if played.is_native:
        return make(played.game, **played.options)
    if ":" in played.game and played.game != game:
        raise UserError(
            f"The game of '{name}' imports a module, which runs its code: '{shortened(played.game)}'. A module is "
            "imported only if its game is named beside the file. If you trust it: "
            f"worldmodels replay {shlex.quote(str(name))} --game {shlex.quote(played.game)}."
        )
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
