"""Find what is damaged in a replay store, step for step, and leave it out so that the rest can be used."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import os_errors_reported
from worldmodels.core.files.writing import make_own_folder, open_regular, write_atomic
from worldmodels.replay.chunks import chunk_files
from worldmodels.replay.layout import KEY_FRAME, LOST, Layout, Records
from worldmodels.replay.set_aside import FOLDER

Mask = npt.NDArray[np.bool_]


class ChunkReport(NamedTuple):
    """A report says what is whole in one chunk."""

    chunk: int
    problems: list[str]
    """Whole sentences that name the file; none for a sound chunk."""
    lost: Mask
    """(T, N), the steps that cannot be used, with those that were left out before."""
    left_out: int
    """The number of lost steps that were left out before."""


class _Files(NamedTuple):
    rows: npt.NDArray[np.void]
    """The rows that are whole (T,), see `Layout.row`."""
    sound: Mask
    """Whether a row agrees with its checksum (T,)."""
    frames: int | None
    """The descriptor of the file of frames, None where it is missing."""


def examine(folder: Path, layout: Layout, stop: int, first: int = 0) -> Iterator[ChunkReport]:
    """Read and check everything that a store holds of the steps `first` to `stop - 1`, a chunk at a time.

    Rows that are missing at the end count as damaged, so `stop` is what a checkpoint needs.
    """
    for index in range(first // layout.chunk_steps, -(-stop // layout.chunk_steps)):
        needed = min(layout.chunk_steps, stop - index * layout.chunk_steps)
        with ExitStack() as stack:
            yield _examine(_open(folder, layout, index, needed, stack), folder, layout, index, needed)


def leave_out(folder: Path, layout: Layout, stop: int, first: int = 0) -> list[ChunkReport]:
    """Mark every damaged step of a store as lost, so that no window touches it; return the reports of those chunks.

    The rows of such a chunk are rewritten; the old ones stay in the folder `set-aside/damaged`.
    """
    damaged = [report for report in examine(folder, layout, stop, first) if report.problems]
    for report in damaged:
        with ExitStack() as stack:
            files = _open(folder, layout, report.chunk, len(report.lost), stack)
            _keep(folder, report.chunk)
            frames = folder / f"{report.chunk:08d}.frames"
            if not frames.exists():
                write_atomic(frames, b"")
            write_atomic(folder / f"{report.chunk:08d}.steps", _mended(files, layout, report))
    return damaged


def _examine(files: _Files, folder: Path, layout: Layout, index: int, needed: int) -> ChunkReport:
    lost = np.ones((needed, layout.num_streams), bool)
    left_out = _left_out(files)
    sound, torn = _checked_frames(files)
    lost[: len(files.rows)] = ~sound
    problems = list(_problems(folder / f"{index:08d}", files, torn, needed - len(files.rows)))
    return ChunkReport(index, problems, lost, int(left_out.sum()))


def _problems(stem: Path, files: _Files, torn: Mask, missing: int) -> Iterator[str]:
    """Say what is wrong with a chunk.

    Args:
        torn: the frames that are damaged although their rows are sound (T, N).
        missing: rows that are missing at the end.
    """
    if not stem.with_suffix(".steps").exists():
        yield f"'{stem}.steps' is missing."
    elif missing:
        yield f"'{stem}.steps' is {missing} rows too short."
    if not files.sound.all():
        yield f"'{stem}.steps': {_listed('row', np.flatnonzero(~files.sound))} damaged."
    if files.frames is None:
        yield f"'{stem}.frames' is missing."
        return
    for stream in np.flatnonzero(torn.any(0)).tolist():
        yield f"'{stem}.frames': {_listed('frame', np.flatnonzero(torn[:, stream]), f' of stream {stream}')} damaged."


def _open(folder: Path, layout: Layout, index: int, needed: int, stack: ExitStack) -> _Files:
    """Open the files of a chunk as far as they are there, and take at most `needed` rows."""
    descriptors: dict[str, int] = {}
    for path in chunk_files(folder).get(index, []):
        descriptors[path.suffix] = open_regular(path, os.O_RDONLY)
        stack.callback(os.close, descriptors[path.suffix])
    steps = descriptors.get(".steps")
    data = b"" if steps is None else os.pread(steps, needed * layout.row_bytes, 0)
    rows = np.frombuffer(data[: len(data) // layout.row_bytes * layout.row_bytes], layout.row)
    return _Files(rows, layout.sound_rows(index, rows), descriptors.get(".frames"))


def _left_out(files: _Files) -> Mask:
    return ((files.rows["records"]["flags"] & LOST) > 0) & files.sound[:, None]


def _checked_frames(files: _Files) -> tuple[Mask, Mask]:
    """Return which frames are as they were written, and which are not (T, N). Those that can no longer be decoded,
    because they come after damage in their block, or were left out before, are neither."""
    records = files.rows["records"]
    sound, torn = np.zeros(records.shape, bool), np.zeros(records.shape, bool)
    if files.frames is None:
        return sound, torn
    chains: list[int | None] = [None] * records.shape[1]
    begin: int | None = 0
    for number, row in enumerate(records):
        if not files.sound[number]:
            chains, begin = [None] * len(row), None
            continue
        for stream, record in enumerate(row):
            chain, end = 0 if record["flags"] & KEY_FRAME else chains[stream], int(record["end"])
            chains[stream] = None
            if begin is not None and chain is not None and not record["flags"] & LOST:
                actual = zlib.crc32(os.pread(files.frames, end - begin, begin), chain)
                sound[number, stream] = actual == record["checksum"]
                torn[number, stream] = not sound[number, stream]
                chains[stream] = actual if sound[number, stream] else None
            begin = end
    return sound, torn


def _mended(files: _Files, layout: Layout, report: ChunkReport) -> bytes:
    """Return the rows of a chunk with its lost steps marked."""
    records: Records = np.zeros(report.lost.shape, files.rows["records"].dtype)
    records[: len(files.rows)][files.sound] = files.rows["records"][files.sound]
    whole = np.zeros(len(records), bool)
    whole[: len(files.rows)] = files.sound
    # Where frames end that nobody reads matters in so far as the next step may begin there.
    ends = np.where(whole, records["end"][:, -1], 0)
    records["end"] = np.where(whole[:, None], records["end"], np.maximum.accumulate(ends)[:, None])
    records["flags"] = np.where(report.lost, records["flags"] & ~np.uint8(KEY_FRAME) | LOST, records["flags"])
    rows = np.zeros(len(records), layout.row)
    rows["records"] = records
    rows["checksum"] = layout.row_checksums(report.chunk, rows)
    return rows.tobytes()


def _keep(folder: Path, index: int) -> None:
    """Copy the rows of a damaged chunk before they are rewritten."""
    kept = folder / FOLDER / "damaged"
    make_own_folder(kept)
    with os_errors_reported(kept):
        for path in chunk_files(folder).get(index, []):
            if path.suffix == ".steps":
                number = sum(1 for _ in kept.glob(f"{path.name}*"))
                shutil.copyfile(path, kept / (f"{path.name}.{number}" if number else path.name))


def _listed(noun: str, numbers: npt.NDArray[np.int64], of: str = "") -> str:
    first = ", ".join(map(str, numbers[:5].tolist())) + (", ..." if len(numbers) > 5 else "")
    return f"{noun} {first}{of} is" if len(numbers) == 1 else f"{len(numbers)} {noun}s ({first}){of} are"
