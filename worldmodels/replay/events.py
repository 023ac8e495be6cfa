"""The events of a store: steps with a reward other than zero, or at which the world itself ended the episode.

In many games they are rare, so that a batch of windows drawn uniformly holds few. Some windows can be drawn around
events instead, and every window be counted for less the likelier that made it (importance sampling). Let a share s of
windows be drawn around events, and the mean window hold m events. Then a window with n events is drawn 1 - s + s n / m
times as often as by uniform sampling. The inverse of that is its weight.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from worldmodels.replay.layout import HELD_OUT, LOST, TERMINAL, Records
from worldmodels.replay.sampling import Indices, Windows

PIECE = 4096
"""Steps of each stream that are looked at together."""


class EventIndex:
    """The places of all events of the training split, and their number in the mean window.

    An update reads only the new steps. It reads all steps again only when the oldest were dropped, a sixteenth of the
    store at a time. So the cost of a batch does not depend on the size of the store.

    Args:
        read: gives the records (T, N) of consecutive steps.
    """

    def __init__(self, num_streams: int, read: Callable[[range], Records]) -> None:
        self._num_streams, self._read = num_streams, read
        self._begin(0, 1)

    def __len__(self) -> int:
        return len(self._events)

    @property
    def mean(self) -> float:
        """Return how many events the mean window holds; 0 where there is no window."""
        return self._held / max(1, self._windows)

    def update(self, span: range, length: int | None = None) -> None:
        """Take in what the store holds now.

        Args:
            length: steps of a window from now on; None: as before, and one in the beginning.
        """
        length = length or self._length
        if length != self._length or span.start != self._span.start or span.stop < self._span.stop:
            self._begin(span.start, length)
        while self._span.stop < span.stop:
            self._take_in(min(self._span.stop + PIECE, span.stop))

    def forget(self) -> None:
        """Look at all steps again when brought up to date: those of the same numbers may be others."""
        self._begin(0, self._length)

    def draw(self, count: int, generator: np.random.Generator) -> Windows:
        """Draw windows uniformly over all pairs of an event and its place in the window; there must be an event.

        Some reach beyond the span or into steps of another split. Where those are drawn again, a window is drawn in
        proportion to the events that it holds.
        """
        picks = generator.integers(len(self._events), size=count)
        events = np.array([self._events[pick] for pick in picks.tolist()], np.int64)
        return events % self._num_streams, events // self._num_streams - generator.integers(self._length, size=count)

    def weights(self, counts: Indices, share: float) -> npt.NDArray[np.float32]:
        """Return the importance weights float32 (B,) of windows with these numbers of events (B,), if a share of them
        was drawn around events. Their mean over many batches is 1."""
        return (1.0 / (1.0 - share + share * counts / self.mean)).astype(np.float32)

    def _begin(self, start: int, length: int) -> None:
        self._span, self._length = range(start, start), length
        self._events = array("q")  # step * num_streams + stream, in their order
        self._windows = self._held = 0

    def _take_in(self, stop: int) -> None:
        # Windows that end among the new steps begin up to a length before them.
        before = min(self._length - 1, len(self._span))
        first = self._span.stop - before
        records = self._read(range(first, stop))
        usable, event = (records["flags"] & (HELD_OUT | LOST)) == 0, is_event(records)
        new = np.flatnonzero((usable & event)[before:]) + self._span.stop * self._num_streams
        self._events.extend(new.tolist())
        whole = _window_sums(usable, self._length) == self._length
        self._windows += int(whole.sum())
        self._held += int(_window_sums(event, self._length)[whole].sum())
        self._span = range(self._span.start, stop)


def is_event(records: Records) -> npt.NDArray[np.bool_]:
    """Return which steps are events, in the shape of their records."""
    found: npt.NDArray[np.bool_] = (records["reward"] != 0) | ((records["flags"] & TERMINAL) > 0)
    return found


def _window_sums(values: npt.NDArray[np.bool_], length: int) -> Indices:
    """Return the sums (T - length + 1, N) over all windows of steps (T, N); none where there are too few."""
    sums = np.zeros((len(values) + 1, values.shape[1]), np.int64)
    np.cumsum(values, 0, out=sums[1:])
    return sums[length:] - sums[: max(0, len(sums) - length)]
