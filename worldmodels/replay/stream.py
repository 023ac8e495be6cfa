"""Write a replay store as a run does: append-only, bounded, and exact after a crash."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import DiskFullError, RunError, UserError
from worldmodels.core.files.writing import sync_folder
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Step
from worldmodels.replay.chunks import WAYS_ON, Chunk, FrameCompressor, chunk_files, open_chunks
from worldmodels.replay.config import ReplayConfig
from worldmodels.replay.layout import Frames, Layout, memory_steps, plan_layout, to_records
from worldmodels.replay.memory import RecentFrames
from worldmodels.replay.reader import ReplayReader
from worldmodels.replay.sampling import Indices
from worldmodels.replay.set_aside import remove_passed, set_aside

ASSUMED_COMPRESSION = 8
"""Frames are assumed to take an eighth of their size on disk until some were stored."""


class Replay(ReplayReader):
    """A store of steps that one process writes, one stream for each of N environments.

    `append` hands a step to the system, so a killed process loses none. `save` waits for the disk, so a power cut loses
    no step of a checkpoint. A store that already holds steps is opened with
    them: then call `load` or `clear`.

    Args:
        folder: the store's own; made if it is missing.
        expected_steps: steps that the whole run will append, if known: it may need less disk than the capacity.
        checkpoints: that the run keeps; `load` works for each of them.

    Raises:
        ConfigError: the capacity or the memory is too small to be of use.
        DiskFullError: the disk has not enough room for what will be stored.
        RunError: the folder holds a store of another shape or format, or a damaged one.
    """

    def __init__(
        self,
        folder: Path | str,
        num_streams: int,
        observation: ObservationSpec,
        action: ActionSpec,
        config: ReplayConfig,
        expected_steps: int | None = None,
        checkpoints: int = 2,
    ) -> None:
        self.folder = Path(folder)
        self._capacity = config.capacity_steps // num_streams
        layout = self._agree(plan_layout(config, num_streams, observation, action))
        in_memory = memory_steps(config, layout)
        most = self._capacity + layout.chunk_steps
        self._predicted_steps = most if expected_steps is None else min(most, -(-expected_steps // num_streams))
        self._cursors_kept = checkpoints + 1  # and the one of the checkpoint that is about to be written
        self._floor = 0
        self._saved: list[int] = []
        self._held_out_every = config.held_out_every
        self._episodes, self._held_out = 0, np.zeros(num_streams, bool)
        self._unsynced: set[int] = set()
        opened = self._open(layout, open_chunks(self.folder, layout, os.O_RDWR), self._capacity)
        self._problem, self._is_cut = opened.problem, False
        self._check_disk()
        if not (self.folder / "store.json").exists():
            layout.write(self.folder)
        self._compressor = FrameCompressor(layout)
        self._memory = RecentFrames(layout, in_memory)
        # Empty until `load`, which cuts off what came after the checkpoint: a power cut may have damaged that.
        self._memory.refill(range(self._span.stop, self._span.stop), self._read_disk)

    @property
    def span(self) -> range:
        """Return the steps that every stream holds: at most the capacity, from the first step of a chunk on."""
        start = max(self._span.start, self._floor, self._first_kept(self._span.stop))
        return range(start, self._span.stop)

    @property
    def memory_span(self) -> range:
        """Return the steps of `span` whose frames are in memory."""
        span, held = self.span, self._memory.span
        return range(max(span.start, held.start), min(span.stop, held.stop))

    @property
    def episodes_begun(self) -> int:
        """Return how many episodes were ever begun, summed over the streams."""
        return self._episodes

    def statistics(self) -> dict[str, float]:
        """Return how much is held, of this with its frames in memory, and how much was ever appended, as metrics.

        An episode counts as held where some of its steps are. All numbers are summed over the streams.
        """
        held, memory, streams = self.span, self.memory_span, self.num_streams
        counts = {
            "steps": streams * len(held),
            "episodes": self.count_episodes(held),
            "held_out_episodes": self.count_episodes(held, "held_out"),
            "memory_steps": streams * len(memory),
            "memory_episodes": self.count_episodes(memory),
            "total_steps": streams * held.stop,
            "total_episodes": self.episodes_begun,
        }
        return {f"replay/{name}": float(count) for name, count in counts.items()}

    def append(self, step: Step) -> None:
        """Add one step of all environments, and drop the oldest chunk when the capacity is reached.

        Raises DiskFullError, with everything before this step safe.
        """
        self._check(step)
        if not self._is_cut:
            self._cut(self._span.stop)
        index, offset = divmod(self._span.stop, self._layout.chunk_steps)
        if offset == 0 and index not in self._chunks:
            self._chunks[index] = Chunk(self.folder, index, self._layout, os.O_RDWR | os.O_CREAT)
        episodes, held_out = self._held_out_after(step.is_first)
        frames = self.observation.to_bytes(step.observation)
        compressed = self._compressor.compress(self._span.stop, frames)
        records = to_records(self._layout, step, held_out, compressed.is_key, compressed.checksums)
        self._chunks[index].append(compressed.frames, records)
        self._episodes, self._held_out = episodes, held_out
        self._records.put(self._span.stop, records)
        self._memory.put(self._span.stop, frames)
        self._unsynced.add(index)
        self._span = range(self._span.start, self._span.stop + 1)
        if offset == 0:
            self._delete_unneeded()

    def save(self) -> dict[str, Any]:
        """Wait until the disk has every step, then return the cursor to which `load` returns."""
        for index in self._unsynced & set(self._chunks):
            self._chunks[index].sync()
        sync_folder(self.folder)
        self._unsynced.clear()
        # Checkpoints of one step replace each other.
        self._saved = [*(x for x in self._saved if x != self._span.stop), self._span.stop][-self._cursors_kept :]
        self._delete_unneeded()
        remove_passed(self.folder, self._span.stop)
        return {
            "first": self.span.start,
            "cursor": self._span.stop,
            "saved": list(self._saved),
            "episodes": self._episodes,
            "held_out": self._held_out,
        }

    def load(self, tree: dict[str, Any]) -> None:
        """Go back to where `save` gave `tree`; what was appended later is set aside (see `set_aside`).

        Raises RunError, with nothing changed, where the store no longer holds the steps that were there.
        """
        first, cursor = int(tree["first"]), int(tree["cursor"])
        if not self.span_includes(range(first, cursor)):
            held = f"holds steps {self._span.start} to {self._span.stop - 1}" if self._span else "holds no steps"
            raise RunError(
                f"The replay store '{self.folder}' {held} of each stream; the checkpoint needs steps {first} to "
                f"{cursor - 1}: {self._problem or 'the folder was changed, or belongs to another run'}. Nothing of it "
                f"was changed. {WAYS_ON}"
            )
        self._span, self._floor = range(self._span.start, cursor), first
        self._saved = [int(saved) for saved in tree["saved"]]
        self._episodes, self._held_out = tree.get("episodes", 0), tree.get("held_out", self._held_out)
        self._events.forget()
        self._records.load(self._chunks, cursor)
        self._memory.refill(self.span, self._read_disk)
        self._cut(cursor)

    def span_includes(self, steps: range) -> bool:
        """Return whether the disk holds all of `steps`; the frames are not read."""
        return self._span.start <= steps.start and steps.stop <= self._span.stop

    def clear(self) -> None:
        """Forget every step; the next one appended is step 0. What there was is set aside."""
        self._cut(0)
        self._span, self._floor, self._saved = range(0), 0, []
        self._events.forget()
        self._episodes, self._held_out = 0, np.zeros(self.num_streams, bool)
        self._memory.refill(self.span, self._read_disk)

    def _cut(self, stop: int) -> None:
        """Set aside every file that holds steps from `stop` on, and cut the one that holds some before it too."""
        chunk_steps, row_bytes = self._layout.chunk_steps, self._layout.row_bytes
        last, length = divmod(stop, chunk_steps)
        files = chunk_files(self.folder)
        partial = self._chunks.get(last) if length else None
        cut = partial is not None and partial.holds_more_than(length)
        copied = files[last] if cut else []
        moved = [path for index, paths in files.items() if index * chunk_steps >= stop for path in paths]
        if copied or moved:
            rows = (path for path in (*copied, *moved) if path.suffix == ".steps")
            held = max((int(path.stem) * chunk_steps + path.stat().st_size // row_bytes for path in rows), default=stop)
            set_aside(self.folder, held, copied, moved)
        for index in [index for index in self._chunks if index * chunk_steps >= stop]:
            self._chunks.pop(index).close()
        if partial is not None and cut:
            partial.truncate(length)
        self._problem, self._is_cut = None, True

    def predicted_bytes(self) -> int:
        """Return the disk space that the store will probably take when the run is done, or when it is full.

        How far frames can be compressed depends on the game. Future steps count with the mean size of the stored ones.
        An empty store counts an eighth of the raw size, more than random play of any native game needs. What kept
        checkpoints still need stays beside a full store, and is not counted.
        """
        return round(self._predicted_steps * self._mean_step_bytes())

    def _mean_step_bytes(self) -> float:
        """Return the bytes on disk of one step of all streams."""
        if self._span:
            return sum(chunk.size for chunk in self._chunks.values()) / len(self._span)
        return self._layout.row_bytes + self.num_streams * self._layout.frame_bytes / ASSUMED_COMPRESSION

    def _held_out_after(self, is_first: npt.NDArray[np.bool_]) -> tuple[int, npt.NDArray[np.bool_]]:
        """Return the episodes begun when these (N,) are, and which streams then play one that is held out.

        Episodes are counted over all streams as they begin, so the share is right even where each stream has few.
        """
        numbers = self._episodes + np.cumsum(is_first)
        held_out = (self._held_out_every > 0) & (numbers % max(1, self._held_out_every) == 0)
        return int(numbers[-1]), np.where(is_first, held_out, self._held_out)

    def _first_kept(self, stop: int) -> int:
        """Return the first step that counts after `stop` appended steps. It depends on that number alone, so a
        continued run drops the same chunks as an uninterrupted one."""
        chunk_steps = self._layout.chunk_steps
        return max(0, -(-(stop - self._capacity) // chunk_steps) * chunk_steps)

    def _delete_unneeded(self) -> None:
        needed = self._first_kept(self._saved[0] if self._saved else self._span.stop)
        for index in sorted(self._chunks):
            if (index + 1) * self._layout.chunk_steps <= needed:
                self._chunks.pop(index).delete()
        self._span = range(max(self._span.start, needed), self._span.stop)

    def _frames_of(self, streams: Indices, starts: Indices, length: int) -> Frames:
        frames = self._memory.windows(streams, starts, length)
        return super()._frames_of(streams, starts, length) if frames is None else frames

    def _read_frames(self, stream: int, start: int, out: Frames) -> None:
        if not self._memory.read(stream, start, out):
            self._read_disk(stream, start, out)

    def _read_disk(self, stream: int, start: int, out: Frames) -> None:
        super()._read_frames(stream, start, out)

    def _agree(self, wanted: Layout) -> Layout:
        """Return the layout of the store that is there, or else the wanted one; only the chunk's length may differ."""
        if not (self.folder / "store.json").exists():
            if chunk_files(self.folder):
                raise RunError(
                    f"The replay store '{self.folder}' holds chunks, but 'store.json', which says what they mean, is "
                    "missing. Bring it back, or move the folder away to start again."
                )
            return wanted
        found = Layout.read(self.folder)
        ours, theirs = (replace(x, chunk_steps=0) for x in (wanted, found))
        if ours != theirs:
            raise RunError(
                f"The replay store '{self.folder}' holds {theirs.num_streams} streams (observations: "
                f"{theirs.observation}; actions: {theirs.action}); this run has {ours.num_streams} environments "
                f"(observations: {ours.observation}; actions: {ours.action})."
            )
        return found

    def _check_disk(self) -> None:
        place = next(path for path in (self.folder, *self.folder.resolve().parents) if path.exists())
        missing = self.predicted_bytes() - len(self._span) * self._mean_step_bytes()
        free = shutil.disk_usage(place).free
        if missing > free:
            raise DiskFullError(
                f"The replay store '{self.folder}' will need about {missing / 1e6:,.0f} MB more; its disk has "
                f"{free / 1e6:,.0f} MB free. Lower replay.capacity_steps, or free some space."
            )

    def _check(self, step: Step) -> None:
        self.observation.check(step.observation, self.num_streams)
        expected = (self.num_streams, *self.action.shape)
        if step.action.shape != expected or step.action.dtype.kind not in ("iu" if self.action.is_discrete else "f"):
            raise UserError(
                f"A step must have actions of shape {expected} and type {self.action.dtype}, or another of its kind; "
                f"received shape {step.action.shape} and type {step.action.dtype}."
            )
