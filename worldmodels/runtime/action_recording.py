"""Recordings of actions: a game, the seed of its levels, and the actions taken; small, and exact on any machine.

A text file of JSON lines. The first says what was played, each further one is an episode:

    {"worldmodels": "actions", "version": 1, "game": "coinrun", "options": {...}, "seed": 7, "source": "...", ...}
    {"actions": [7, 7, 8], "seen": {"0": "90ab...", "3": "f00d..."}, "events": [[2, "put back"]]}

`seen` holds hashes of all frames of the episode up to so many steps: at the first frame, every 16 steps, and at the
last one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError
from worldmodels.core.files import write_atomic

EVERY = 16
"""Steps from one hash to the next."""
KIND, VERSION = "actions", 1


class RecordingError(UserError):
    """A file that cannot be read, or that does not agree with the game."""


@dataclass(frozen=True)
class RecordedEpisode:
    """The actions of one episode, from its first frame on."""

    actions: Sequence[int]
    seen: Mapping[int, str] = field(default_factory=dict)
    """Hashes of frames, by the number of steps after which they were taken."""
    events: Sequence[Sequence[Any]] = ()
    """Other events, for people: the number of steps before it, its name, and a value if it has one."""


@dataclass(frozen=True)
class ActionRecording:
    """Episodes of one game, one after the other."""

    game: str
    options: Mapping[str, Any]
    seed: int
    """The seed of the environment."""
    episodes: Sequence[RecordedEpisode]
    source: str = ""
    """The run whose model was beside the game, if there was one."""
    checkpoint: int | None = None
    """The step of its checkpoint."""

    @property
    def steps(self) -> int:
        """The number of steps in all episodes."""
        return sum(len(episode.actions) for episode in self.episodes)


def frame_hash(observation: npt.NDArray[np.uint8], before: str = "") -> str:
    """Return a hash of a frame and, through `before`, of all frames before it."""
    return hashlib.blake2b(before.encode() + np.ascontiguousarray(observation).tobytes(), digest_size=8).hexdigest()


def kept_hashes(hashes: Sequence[str]) -> dict[int, str]:
    """Return the hashes that a recording keeps of an episode's frames."""
    last = len(hashes) - 1
    return {step: hashed for step, hashed in enumerate(hashes) if step % EVERY == 0 or step == last}


def write_recording(path: Path | str, played: ActionRecording) -> None:
    """Write an action file."""
    head = {"worldmodels": KIND, "version": VERSION, **asdict(played)}
    del head["episodes"]
    lines = [head, *(asdict(episode) for episode in played.episodes)]
    write_atomic(path, "".join(json.dumps(line, separators=(",", ":"), allow_nan=False) + "\n" for line in lines))


def read_recording(path: Path | str) -> ActionRecording:
    """Read an action file.

    Raises:
        RecordingError: it is no such file, or damaged; names the line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingError(f"Cannot read the recording '{path}': {error}.") from error
    head = _line(path, 1, lines[0]) if lines else {}
    if head.pop("worldmodels", None) != KIND or head.pop("version", None) != VERSION:
        raise RecordingError(
            f"'{path}' is no recording of actions of version {VERSION}: its first line must say "
            f'"worldmodels": "{KIND}" and "version": {VERSION}.'
        )
    try:
        episodes = [_episode(_line(path, i, line)) for i, line in enumerate(lines[1:], start=2)]
        return ActionRecording(**head, episodes=episodes)
    except (TypeError, ValueError, KeyError) as error:
        raise RecordingError(f"The recording '{path}' is damaged: {error}.") from error


def _line(path: Path | str, number: int, text: str) -> dict[str, Any]:
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise RecordingError(f"The recording '{path}' is damaged in line {number}: {error}.") from error
    if not isinstance(parsed, dict):
        raise RecordingError(f"The recording '{path}' is damaged in line {number}: it must be a JSON object.")
    return parsed


def _episode(line: dict[str, Any]) -> RecordedEpisode:
    seen = {int(step): str(text) for step, text in line["seen"].items()}
    return RecordedEpisode([int(action) for action in line["actions"]], seen, line["events"])
