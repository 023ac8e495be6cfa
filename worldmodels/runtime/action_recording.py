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
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import FileError, UserError
from worldmodels.core.files import write_atomic
from worldmodels.core.json_files import parse_json, parse_strict
from worldmodels.core.lookup import shortened
from worldmodels.core.ranges import Count, Section, between
from worldmodels.envs.games import NUM_ACTIONS

EVERY = 16
"""Steps from one hash to the next."""
KIND, VERSION = "actions", 1
Action = Annotated[int, between(0, NUM_ACTIONS - 1)]


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
        lines = Path(path).read_bytes().split(b"\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecordingError(f"Cannot read the recording '{path}': {reason}.") from error
    whole = lines[:-1] if lines[-1] == b"" else lines
    _check_kind(path, whole)
    try:
        head = parse_json(whole[0], _Head, f"'{path}', line 1")
        episodes = [_episode(line, f"'{path}', line {i}") for i, line in enumerate(whole[1:], start=2)]
    except FileError as error:
        raise RecordingError(f"The recording is damaged: {error}") from error
    return ActionRecording(head.game, head.options, head.seed, episodes, head.source, head.checkpoint)


@dataclass(frozen=True)
class _Head(Section):
    """The first line of a file."""

    worldmodels: str
    version: int
    game: str
    options: Mapping[str, bool | int | str]
    seed: Count
    source: str = ""
    checkpoint: int | None = None


@dataclass(frozen=True)
class _Line(Section):
    """A further line of a file."""

    actions: tuple[Action, ...]
    seen: Mapping[str, str]
    events: tuple[tuple[Any, ...], ...]


def _check_kind(path: Path | str, lines: Sequence[bytes]) -> None:
    with suppress(FileError):
        head = parse_strict(lines[0], "the first line") if lines else None
        if isinstance(head, dict) and (head.get("worldmodels"), head.get("version")) == (KIND, VERSION):
            return
    raise RecordingError(
        f"'{path}' is no recording of actions of version {VERSION}: its first line must be JSON and say "
        f'"worldmodels": "{KIND}" and "version": {VERSION}.'
    )


def _episode(text: bytes, where: str) -> RecordedEpisode:
    line = parse_json(text, _Line, where)
    seen = {_step(step, len(line.actions), where): hashed for step, hashed in line.seen.items()}
    return RecordedEpisode(list(line.actions), seen, [list(event) for event in line.events])


def _step(text: str, last: int, where: str) -> int:
    """Return the number of steps after which a hash was taken."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(last)) and int(text) <= last):
        raise FileError(
            f"{where}: the keys of 'seen' are numbers of steps from 0 to {last}; received '{shortened(text)}'."
        )
    return int(text)
