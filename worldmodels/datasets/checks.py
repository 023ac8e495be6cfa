"""The rules of a stream of steps (`core/types.py`), for experience that comes from outside."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import FileError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch

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
