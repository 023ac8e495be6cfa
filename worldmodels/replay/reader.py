"""Read a replay store: windows of consecutive steps, drawn at random or asked for."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import RunError, UserError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.replay.chunks import WAYS_ON, OpenedChunks, open_chunks
from worldmodels.replay.episodes import EpisodeSpan, find_episodes
from worldmodels.replay.events import EventIndex, is_event
from worldmodels.replay.layout import FIRST, LAST, LOST, TERMINAL, Frames, Layout
from worldmodels.replay.memory import RecordRing, Split, in_split
from worldmodels.replay.sampling import Indices, Windows, draw_accepted, draw_windows


class ReplayReader:
    """The steps that the store in `folder` held when this was opened are read; another process may go on writing to it.

    Frames are read from disk, and checked; everything else of a step, 21 bytes where actions are choices, is in memory.
    All streams have the same length. Their steps keep their numbers for ever: step 0 is the first one that was ever
    appended.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        layout = Layout.read(self.folder)
        opened = self._open(layout, _open_beside_a_writer(self.folder, layout))
        if opened.problem and not opened.is_torn:
            self.close()
            raise RunError(f"The replay store '{self.folder}' is damaged: {opened.problem}. {WAYS_ON}")

    def _open(self, layout: Layout, opened: OpenedChunks, records_held: int | None = None) -> OpenedChunks:
        self._layout, self._chunks = layout, opened.chunks
        chunk_steps = layout.chunk_steps
        start = min(self._chunks, default=0) * chunk_steps
        stop = start + sum(chunk.length for chunk in self._chunks.values())
        self._span = range(start, stop)
        self._records = RecordRing(layout, records_held or max(1, len(self._span)))
        self._records.load(self._chunks, stop)
        self._events = EventIndex(layout.num_streams, self._records.at)
        return opened

    @property
    def num_streams(self) -> int:
        return self._layout.num_streams

    @property
    def observation(self) -> ObservationSpec:
        return self._layout.observation

    @property
    def action(self) -> ActionSpec:
        return self._layout.action

    @property
    def span(self) -> range:
        """Return the steps that every stream holds."""
        return self._span

    def __len__(self) -> int:
        """Return how many steps are held, summed over the streams."""
        return self.num_streams * len(self.span)

    def sample(
        self,
        batch: int,
        length: int,
        generator: np.random.Generator,
        split: Split = "all",
        newest: int = 0,
        beginnings: int = 0,
    ) -> Batch:
        """Return `batch` windows of `length` steps, uniform over all (stream, first step) of the split; the cost does
        not depend on how much is stored.

        Args:
            split: `training` windows touch no episode that is held out, `held_out` ones touch no other.
            newest: draw from the newest steps alone, so many summed over the streams; 0: from all.
            beginnings: so many of the windows, the first ones, begin where an episode does: among the newest steps,
                else among all, else anywhere.

        Raises UserError where there is no such window.
        """
        recent = range(max(self.span.start, self.span.stop - newest // self.num_streams), self.span.stop)
        recent = recent if newest else self.span
        begun = self._draw_beginnings(recent, beginnings, length, generator, split)
        others = self._draw(recent, batch - len(begun[0]), length, generator, split)
        streams, starts = (np.concatenate(pair) for pair in zip(begun, others, strict=True))
        return self._gather(streams, starts, length)

    def sample_transitions(
        self, batch: int, generator: np.random.Generator, split: Split = "all", before: int = 0
    ) -> Batch:
        """Return `batch` single steps as windows of `before` + 2: the last two are a step and what arrived after it, in
        the same episode. They are uniform over all such steps of the split; the cost does not depend on how much is
        stored.

        Args:
            before: steps before these that come with them, whatever their episode; those that the store does not hold
                are replaced by the first that it does.

        Raises UserError where there is no such step.
        """
        length = before + 2
        streams, steps = self._draw(self.span, batch, 2, generator, split, whole=True)
        if len(self.span) < length:
            raise UserError(
                f"A step and the {before} before it need {length} steps of each stream; '{self.folder}' holds "
                f"{len(self.span)}."
            )
        starts = np.maximum(steps - before, self.span.start)
        windows, missing = self._gather(streams, starts, length), before - (steps - starts)
        if not missing.any():
            return windows
        rows, places = np.arange(batch)[:, None], np.maximum(np.arange(length) - missing[:, None], 0)
        observation = self.observation.arrays(windows.observation)
        shifted = self.observation.pack({name: x[rows, places] for name, x in observation.items()})
        return Batch(shifted, *(x[rows, places] for x in windows[1:]))

    @property
    def num_events(self) -> int:
        """Return how many steps outside held-out episodes are events, see `events`."""
        self._events.update(self.span)
        return len(self._events)

    def sample_around_events(
        self, batch: int, length: int, generator: np.random.Generator, share: float
    ) -> tuple[Batch, npt.NDArray[np.float32]]:
        """Return `batch` windows of the training split, a share of them drawn around events, and their weights.

        Windows around events are uniform over the events and their places in the window, the others as those of
        `sample`. Without events, all are. The cost does not depend on how much is stored.

        Args:
            share: below 1, so that every window can be drawn.

        Returns:
            The windows, and importance weights float32 (B,): with them, the mean over windows of any quantity is in
            expectation that over windows that are drawn uniformly.

        Raises UserError where there is no such window.
        """
        self._events.update(self.span, length)
        share = share if self._events.mean else 0.0
        # Rounded at random, so that the share holds in the mean of many batches, whatever the batch.
        around = self._draw_around_events(int(share * batch + generator.random()), length, generator)
        others = self._draw(self.span, batch - len(around[0]), length, generator, "training")
        streams, starts = (np.concatenate(pair) for pair in zip(around, others, strict=True))
        counts = is_event(self._records.of(streams, starts, length)).sum(1)
        weights = self._events.weights(counts, share) if share else np.ones(batch, np.float32)
        return self._gather(streams, starts, length), weights

    def window(self, stream: int, start: int, length: int) -> Batch:
        """Return the steps `start` to `start + length - 1` of one stream, as a batch of one."""
        wanted = range(start, start + length)
        if not (0 <= stream < self.num_streams and length > 0 and wanted[0] in self.span and wanted[-1] in self.span):
            raise UserError(
                f"Steps {start} to {start + length - 1} of stream {stream} are not in the replay store. It holds steps "
                f"{self.span.start} to {self.span.stop - 1} of streams 0 to {self.num_streams - 1}."
            )
        window = np.array([stream]), np.array([start])
        if (self._records.of(*window, length)["flags"] & LOST).any():
            raise RunError(
                f"Steps {start} to {start + length - 1} of stream {stream} in '{self.folder}' are not whole: some of "
                "them were damaged and left out."
            )
        return self._gather(*window, length)

    def close(self) -> None:
        for chunk in self._chunks.values():
            chunk.close()
        self._chunks = {}

    def _draw(
        self,
        span: range,
        batch: int,
        length: int,
        generator: np.random.Generator,
        split: Split,
        first: bool = False,
        whole: bool = False,
    ) -> Windows:
        """Draw windows of the split; `first`: that begin where an episode does, and fewer than `batch` if need be;
        `whole`: that lie inside of one episode."""

        def draw(count: int) -> Windows:
            return draw_windows(self.num_streams, span, count, length, generator)

        def accept(windows: Windows) -> npt.NDArray[np.bool_]:
            flags = self._records.of(*windows, length)["flags"]
            fits = in_split(flags, split)
            if first:
                fits &= (flags[:, 0] & FIRST) > 0
            if whole:  # an episode that was cut off has no last step
                fits &= ~((flags[:, :-1] & LAST).any(1) | (flags[:, 1:] & FIRST).any(1))
            return fits

        windows = draw_accepted(draw, accept, batch)
        if len(windows[0]) < batch and not first:
            raise UserError(
                f"Found no sequence of {length} steps in the {split.replace('_', '-')} episodes of '{self.folder}', "
                f"which holds {len(span)} steps of each of {self.num_streams} streams. Such episodes are missing or "
                "too short: shorten the sequence or collect more first."
            )
        return windows

    def _draw_beginnings(
        self, recent: range, batch: int, length: int, generator: np.random.Generator, split: Split
    ) -> Windows:
        for span in (recent, self.span):
            windows = self._draw(span, batch, length, generator, split, first=True)
            if len(windows[0]) == batch:
                break
        return windows

    def _draw_around_events(self, batch: int, length: int, generator: np.random.Generator) -> Windows:
        """Draw windows of the training split that hold an event; fewer than `batch` where hardly any does."""

        def accept(windows: Windows) -> npt.NDArray[np.bool_]:
            inside = (windows[1] >= self.span.start) & (windows[1] + length <= self.span.stop)
            return inside & in_split(self._records.of(*windows, length)["flags"], "training")

        if not batch:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return draw_accepted(lambda count: self._events.draw(count, generator), accept, batch)

    def count_episodes(self, steps: range, split: Literal["all", "held_out"] = "all") -> int:
        """Return how many episodes have some of these steps, which the store holds, summed over the streams."""
        return self._records.count_episodes(steps, split)

    def episodes(self) -> list[EpisodeSpan]:
        """Return the episodes whose first step the store holds, in the order in which they began."""
        return find_episodes(self._records.at(self.span), self.span.start)

    def _gather(self, streams: Indices, starts: Indices, length: int) -> Batch:
        frames = self._frames_of(streams, starts, length)
        records = self._records.of(streams, starts, length)
        flags = records["flags"]
        return Batch(
            observation=self.observation.from_bytes(frames),
            reward=records["reward"].copy(),
            is_first=(flags & FIRST) > 0,
            is_last=(flags & LAST) > 0,
            is_terminal=(flags & TERMINAL) > 0,
            action=records["action"].copy(),
        )

    def _frames_of(self, streams: Indices, starts: Indices, length: int) -> Frames:
        """Return the frames (B, T, bytes) of windows."""
        frames = np.empty((len(streams), length, self._layout.frame_bytes), np.uint8)
        for row, (stream, start) in enumerate(zip(streams.tolist(), starts.tolist(), strict=True)):
            self._read_frames(stream, start, frames[row])
        return frames

    def _read_frames(self, stream: int, start: int, out: Frames) -> None:
        while len(out):
            index, offset = divmod(start, self._layout.chunk_steps)
            count = min(len(out), self._layout.chunk_steps - offset)
            self._chunks[index].read_frames(stream, offset, out[:count])
            out, start = out[count:], start + count


def _open_beside_a_writer(folder: Path, layout: Layout) -> OpenedChunks:
    """Open a store that another process may be writing: it may drop the oldest chunk between a look and the next."""
    for _ in range(3):
        try:
            opened = open_chunks(folder, layout, os.O_RDONLY)
        except FileNotFoundError:
            time.sleep(0.01)
            continue
        if opened.is_torn:
            return opened
        time.sleep(0.01)
        for chunk in opened.chunks.values():
            chunk.close()
    return open_chunks(folder, layout, os.O_RDONLY)
