"""Writes and reads recordings of actions: the game, its seed and the actions, exact on any machine for native games.

A recording is a text file of JSON lines. The first line names the game, each further line is an episode:

    {"worldmodels": "actions", "version": 1, "game": "coinrun", "options": {...}, "seed": 7, "source": "...", ...}
    {"actions": [7, 7, 8], "seen": {"0": "90ab...", "3": "f00d..."}, "events": [[2, "put back"]]}

`seen` maps a number of steps to a hash of all frames so far. It has the first frame, every 16th and the last.

Version 2 is for other environments. Its options are keys of `EnvConfig`. `box` is the count of numbers of an action,
each from -1 to 1. A `box` of 0 means that an action is the number of a choice, as above:

    {"worldmodels": "actions", "version": 2, "game": "Pendulum-v1", "options": {}, "seed": 7, "box": 1, ...}
    {"actions": [[0.25], [-1.0]], "seen": {...}, "events": []}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from worldmodels.core.configuration.ranges import Count, Int32, Section, between
from worldmodels.core.errors import FileError, UserError, shortened
from worldmodels.core.files.json_files import parse_json, parse_strict
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.specs import Observation
from worldmodels.envs.games.table import GAME_INFO, NUM_ACTIONS

EVERY = 16
"""The number of steps from one hash to the next."""
KIND, VERSIONS = "actions", (1, 2)
Action: TypeAlias = int | tuple[float, ...]
"""The number of a choice, or the numbers of a box from -1 to 1, each the shortest text of its float32 value."""
NativeAction = Annotated[int, between(0, NUM_ACTIONS - 1)]
BoxNumber = Annotated[float, between(-1.0, 1.0)]


class RecordingError(UserError):
    """A file that cannot be read, or does not agree with the game."""


@dataclass(frozen=True)
class RecordedEpisode:
    """The actions of one episode, from its first frame on."""

    actions: Sequence[Action]
    seen: Mapping[int, str] = field(default_factory=dict)
    """Hashes of frames, by the number of steps before them."""
    events: Sequence[Sequence[Any]] = ()
    """Other events, for readers: the number of steps before it, its name, and its value, if any."""


@dataclass(frozen=True)
class ActionRecording:
    """Episodes of one game, one after the other."""

    game: str
    options: Mapping[str, Any]
    seed: int
    """The seed of the environment."""
    episodes: Sequence[RecordedEpisode]
    source: str = ""
    """The run whose model was played beside the game, if any."""
    checkpoint: int | None = None
    """The step of the checkpoint of that run."""
    box: int = 0
    """The count of numbers of an action; 0: an action is the number of a choice."""

    @property
    def is_native(self) -> bool:
        """Whether the game is a native one."""
        return any(self.game in (info.name, info.id) for info in GAME_INFO.values())

    @property
    def steps(self) -> int:
        """The number of steps in all episodes."""
        return sum(len(episode.actions) for episode in self.episodes)


def box_action(numbers: npt.NDArray[Any]) -> Action:
    """Return the action of a box, float32 (D,), clipped to [-1, 1] as an environment does."""
    # NumPy prints the shortest number that is the same in float32.
    return tuple(float(str(number)) for number in np.clip(numbers, -1.0, 1.0).astype(np.float32))


def frame_hash(observation: Observation, before: str = "") -> str:
    """Return a hash of an observation, and, through the hash `before`, of all observations before it."""
    parts = observation.values() if isinstance(observation, dict) else (observation,)
    data = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    return hashlib.blake2b(before.encode() + data, digest_size=8).hexdigest()


def kept_hashes(hashes: Sequence[str]) -> dict[int, str]:
    """Return the hashes that a recording keeps of an episode's frames."""
    last = len(hashes) - 1
    return {step: hashed for step, hashed in enumerate(hashes) if step % EVERY == 0 or step == last}


def write_recording(path: Path | str, played: ActionRecording) -> None:
    """Write an action file."""
    head = {"worldmodels": KIND, "version": 1 if played.is_native else 2, **asdict(played)}
    del head["episodes"]
    if played.is_native:
        del head["box"]
    lines = [head, *(asdict(episode) for episode in played.episodes)]
    write_atomic(path, "".join(json.dumps(line, separators=(",", ":"), allow_nan=False) + "\n" for line in lines))


def read_recording(path: Path | str) -> ActionRecording:
    """Read an action file.

    Raises:
        RecordingError: the file is no recording, or is damaged; the text names the line.
    """
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecordingError(f"Cannot read the recording '{path}': {reason}.") from error
    whole = lines[:-1] if lines[-1] == b"" else lines
    version = _version(path, whole)
    try:
        head: _Head = parse_json(whole[0], _Head if version == 1 else _ForeignHead, f"'{path}', line 1")
        box = head.box if isinstance(head, _ForeignHead) else 0
        kind = _NativeLine if version == 1 else _BoxLine if box else _ChoiceLine
        episodes = [_episode(line, kind, box, f"'{path}', line {i}") for i, line in enumerate(whole[1:], start=2)]
    except FileError as error:
        raise RecordingError(f"The recording is damaged: {error}") from error
    return ActionRecording(head.game, head.options, head.seed, episodes, head.source, head.checkpoint, box)


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
class _ForeignHead(_Head):
    """The first line of a file of version 2."""

    options: Mapping[str, Any]
    box: Count = 0


@dataclass(frozen=True)
class _Line(Section):
    """The fields of a further line without its actions."""

    seen: Mapping[str, str]
    events: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class _NativeLine(_Line):
    """A further line of a file of version 1."""

    actions: tuple[NativeAction, ...]


@dataclass(frozen=True)
class _ChoiceLine(_Line):
    """A further line of a file of version 2 whose actions are choices."""

    actions: tuple[Int32, ...]


@dataclass(frozen=True)
class _BoxLine(_Line):
    """A further line of a file of version 2 whose actions are numbers."""

    actions: tuple[tuple[BoxNumber, ...], ...]


def _version(path: Path | str, lines: Sequence[bytes]) -> int:
    with suppress(FileError):
        head = parse_strict(lines[0], "the first line") if lines else None
        if isinstance(head, dict) and head.get("worldmodels") == KIND and head.get("version") in VERSIONS:
            return int(head["version"])
    raise RecordingError(
        f"'{path}' is no recording of actions of version {VERSIONS[0]} or {VERSIONS[1]}: its first line must be JSON "
        f'with "worldmodels": "{KIND}" and "version": {VERSIONS[0]} or {VERSIONS[1]}.'
    )


def _episode(text: bytes, kind: type[_NativeLine | _ChoiceLine | _BoxLine], box: int, where: str) -> RecordedEpisode:
    line = parse_json(text, kind, where)
    for step, action in enumerate(line.actions, start=1):
        if isinstance(action, tuple) and len(action) != box:
            raise FileError(f"{where}: an action has {box} numbers here; received {len(action)} at step {step}.")
    seen = {_step(step, len(line.actions), where): hashed for step, hashed in line.seen.items()}
    return RecordedEpisode(list(line.actions), seen, [list(event) for event in line.events])


def _step(text: str, last: int, where: str) -> int:
    """Return the number of steps before a hash."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(last)) and int(text) <= last):
        raise FileError(
            f"{where}: the keys of 'seen' are numbers of steps from 0 to {last}; received '{shortened(text)}'."
        )
    return int(text)
