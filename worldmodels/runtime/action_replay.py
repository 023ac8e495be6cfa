"""The replay of recorded actions, compared with the frames that were seen when they were recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.envs import make
from worldmodels.runtime.action_recording import ActionRecording, RecordingError, frame_hash


class ReplayedStep(NamedTuple):
    """A frame of a recording that is replayed, the step that led to it, and the action taken at it."""

    episode: int
    """The number of the episode, from 1."""
    step: int
    """Steps before it in its episode."""
    observation: npt.NDArray[np.uint8]
    reward: float
    """That came with the frame; 0 with a first one."""
    terminated: bool
    truncated: bool
    action: int | None
    """The action taken; None after the last recorded step."""


def replay_actions(played: ActionRecording, name: Path | str = "the recording") -> Iterator[ReplayedStep]:
    """Play it again, and compare what is seen with what was seen then.

    Args:
        name: of the recording, for errors.

    Raises:
        RecordingError: says after which step of which episode it stops agreeing.
    """
    env = make(played.game, **played.options)
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
                if not 0 <= action < env.action_space.n:
                    raise RecordingError(
                        f"{where}, step {step + 1}: an action must be from 0 to {env.action_space.n - 1}. "
                        f"Received {action}."
                    )
                observation, gained, terminated, truncated, _ = env.step(action)
                reward = float(gained)
    finally:
        env.close()


def verify_recording(played: ActionRecording, name: Path | str = "the recording") -> None:
    """Play it again to its end; RecordingError as in `replay_actions`."""
    for _ in replay_actions(played, name):
        pass


class _Agreement:
    """Compares the frames of one episode with the hashes that were kept of them."""

    def __init__(self, seen: Mapping[int, str], where: str):
        self._seen, self._where = seen, where
        self._hashed, self._agreed = "", 0

    def check(self, step: int, observation: npt.NDArray[np.uint8]) -> None:
        self._hashed = frame_hash(observation, self._hashed)
        if step not in self._seen:
            return
        if self._hashed != self._seen[step]:
            raise RecordingError(
                f"{self._where}: agrees up to step {self._agreed}, and no more at step {step}. The file was changed, "
                "or it was recorded with another version of the game."
            )
        self._agreed = step
