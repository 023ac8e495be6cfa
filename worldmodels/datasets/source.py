"""A source of recorded experience, whatever its format: N streams of T steps each, read in pieces.

One letter per axis: N streams, T steps, D numbers.

The rules of a stream of steps (`core/types.py`), for experience that comes from outside.

A data set is written beside its place and renamed; what is there already stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import ConfigError, FileError, os_errors_reported
from worldmodels.core.files.writing import make_folder, remove_one, replacing, sync_folder, temporary
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch, Step
from worldmodels.envs.foreign.wrappers import ImageFormat

MOST_STEP_BYTES = 2**28
"""The observations of all streams at one step take so many bytes at most: 256 MiB."""
PIECE_BYTES = 2**26
PIECE_STEPS = 64


@dataclass(frozen=True)
class DatasetSpec:
    """The spec of a data set: how much it holds, and of what."""

    num_streams: int
    """N, 1 or more."""
    length: int
    """T, the steps of each stream, 1 or more."""
    observation: ObservationSpec
    action: ActionSpec

    def __post_init__(self) -> None:
        if self.num_streams < 1 or self.length < 1:
            raise ConfigError(
                f"A data set holds 1 stream or more, of 1 step or more each. Received {self.num_streams} streams of "
                f"{self.length} steps."
            )
        if self.step_bytes > MOST_STEP_BYTES:
            raise ConfigError(
                f"The observations of all streams at one step take at most {MOST_STEP_BYTES:,} bytes. Received "
                f"{self.num_streams:,} streams of {self.observation}, {self.step_bytes:,} bytes."
            )

    @property
    def step_bytes(self) -> int:
        """Return the bytes of the observations of all streams at one step."""
        return self.num_streams * self.observation.bytes

    @property
    def steps(self) -> int:
        """Return the steps summed over the streams."""
        return self.num_streams * self.length

    @property
    def pieces(self) -> Iterator[range]:
        """Yield the steps that are read together: few enough to need little memory."""
        size = max(1, min(PIECE_STEPS, PIECE_BYTES // self.step_bytes))
        for start in range(0, self.length, size):
            yield range(start, min(start + size, self.length))


class Source(Protocol):
    """Recorded experience; close it in the end."""

    @property
    def spec(self) -> DatasetSpec: ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences about the observations that are converted."""

    def pieces(self) -> Iterator[Batch]:
        """Yield all steps in their order, as batches (N, t) of a few steps of every stream; as often as it is asked.

        Raises UserError, or one of its kin, where the experience turns out to be damaged or against the rules.
        """

    def close(self) -> None: ...


class ResizedSource:
    """The steps of another source, whose images have another size; see `Source`."""

    def __init__(self, source: Source, size: int) -> None:
        self._source, self._format = source, ImageFormat(size)
        self.notes = source.notes
        self.spec = replace(source.spec, observation=self._format.spec(source.spec.observation, ""))

    def pieces(self) -> Iterator[Batch]:
        for piece in self._source.pieces():
            arrays = self.spec.observation.arrays(piece.observation)
            images = {name: self._resized(arrays[name]) for name in self.spec.observation.images}
            yield piece._replace(observation=self.spec.observation.pack(arrays | images))

    def close(self) -> None:
        self._source.close()

    def _resized(self, images: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        resized = self._format.images(images.reshape(-1, *images.shape[2:]))
        return resized.reshape(*images.shape[:2], *resized.shape[1:])


def steps_of(source: Source) -> Iterator[Step]:
    """Yield the steps of all streams, one after the other."""
    for piece in source.pieces():
        for t in range(piece.reward.shape[1]):
            yield Step(*piece.at(np.s_[:, t]))


Marks = npt.NDArray[np.bool_]


class StreamCheck:
    """A check of consecutive pieces, whose shapes and types are right already.

    Args:
        name: of the data set, for people.
    """

    def __init__(self, name: str, num_streams: int, observation: ObservationSpec, action: ActionSpec) -> None:
        self._name, self._observation, self._action = name, observation, action
        self._step, self._ended = 0, np.zeros((num_streams, 1), bool)

    def __call__(self, piece: Batch) -> Batch:
        """Return a piece (N, t) as it is.

        Raises:
            FileError: a number is not finite, an action is invalid, or flags contradict each other; the text names
                stream and step.
        """
        for name, values in self._observation.arrays(piece.observation).items():
            if values.dtype.kind == "f":
                what = f"the part '{name}' of an observation" if name else "an observation"
                self._require(np.isfinite(values).all(-1), f"{what} holds a number that is not finite")
        self._require(np.isfinite(piece.reward), "a reward is not a finite number")
        self._check_actions(piece.action)
        self._check_flags(piece)
        self._step += piece.reward.shape[1]
        return piece

    def _check_actions(self, action: npt.NDArray[Any]) -> None:
        if self._action.is_discrete:
            known = (action >= 0) & (action < self._action.count)
            self._require(known, f"an action is none of the choices 0 to {self._action.count - 1}")
        else:
            self._require(np.isfinite(action).all(-1), "an action holds a number that is not finite")

    def _check_flags(self, piece: Batch) -> None:
        ended = np.concatenate([self._ended, piece.is_last[:, :-1]], 1)
        self._ended = piece.is_last[:, -1:]
        self._require(piece.is_first | ~ended, "no episode begins, though the step before is the last one of its own")
        self._require(~piece.is_first | (piece.reward == 0), "an episode begins with a reward other than 0")
        self._require(~(piece.is_first & piece.is_last), "an episode ends with the observation with which it begins")
        self._require(piece.is_last | ~piece.is_terminal, "is_terminal holds and is_last does not")

    def _require(self, holds: Marks, fault: str) -> None:
        if not holds.all():
            self._refuse(np.argwhere(~holds)[0], fault)

    def _refuse(self, place: npt.NDArray[np.intp], fault: str) -> NoReturn:
        stream, t = place.tolist()
        raise FileError(f"{self._name}: at step {self._step + t} of stream {stream}, {fault}.")


def check_new(path: Path | str) -> None:
    """Raise FileError where something is at a path already."""
    if os.path.lexists(path):
        raise FileError(f"'{path}' is there already, and nothing is overwritten: choose another name, or remove it.")


@contextmanager
def writing_file(path: Path | str) -> Iterator[Path]:
    """Give the path of a temporary file to write, then rename it to `path`; an error inside the block removes it.

    Raises:
        DiskFullError, FileError: something is there already, or it cannot be written.
    """
    check_new(path)
    make_folder(Path(path).parent)
    with replacing(path) as beside:
        yield beside


@contextmanager
def writing_folder(path: Path | str) -> Iterator[Path]:
    """Give the path of a temporary folder to make and fill, as `writing_file` does of a file."""
    path = Path(path)
    check_new(path)
    make_folder(path.parent)
    beside = temporary(path)
    remove_one(beside)
    try:
        with os_errors_reported(path):
            yield beside
            os.rename(beside, path)
            sync_folder(path.parent)
    finally:
        remove_one(beside)
