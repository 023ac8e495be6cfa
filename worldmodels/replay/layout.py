"""The shape of a store on disk, and the small header file that says it.

A store is a folder. It holds `store.json` (this header) and two files for each chunk, a range of consecutive steps of
all streams: `00000012.frames`, to which the compressed frames of a step are appended, stream after stream, and
`00000012.steps`, to which one row of records is appended when they are written. The second file is the truth: a step
exists when its row does. The rows say where each frame ends, so that a window of one stream is read without the rest.

Frames are compressed in blocks (see `codec`), because a frame resembles those before it. Longer blocks take less disk:
of CoinRun's raw frames a tenth, a fifteenth and a twenty-second in blocks of 8, 16 and 32. But a window reads whole
blocks, so that they can be checked, and with 32 that takes a quarter longer.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import RunError
from worldmodels.core.files import write_atomic
from worldmodels.core.types import Step

FORMAT = 2
# `end` is where the compressed frame ends in the file of the chunk; it begins where the one before it ends.
RECORD = np.dtype([("reward", "<f4"), ("action", "<i4"), ("end", "<i8"), ("flags", "u1")])
FIRST, LAST, TERMINAL, HELD_OUT, KEY_FRAME = 1, 2, 4, 8, 16
# In every record, so that a row of zeros, which a power cut can leave at the end of a file, is no step.
WRITTEN = 128
BLOCK = 16
"""A block holds at most so many frames."""

Records = npt.NDArray[np.void]
Frames = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Layout:
    """The layout says what the bytes of a store mean."""

    num_streams: int
    observation_shape: tuple[int, ...]
    chunk_steps: int
    """A chunk holds so many steps of each stream."""

    @property
    def frame_bytes(self) -> int:
        """Return the bytes of a frame that is not compressed."""
        return math.prod(self.observation_shape)

    @property
    def row_bytes(self) -> int:
        """Return the bytes that one step of all streams adds to a `.steps` file."""
        return self.num_streams * RECORD.itemsize

    def block(self, offset: int) -> range:
        """Return the steps, counted from the first one of their chunk, whose frames are in one block with `offset`."""
        start = offset // BLOCK * BLOCK
        return range(start, min(start + BLOCK, self.chunk_steps))

    def write(self, folder: Path) -> None:
        """Write the header, and make the folder where it is missing."""
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(
            folder / "store.json", json.dumps({"format": FORMAT, **asdict(self)}, indent=2, allow_nan=False) + "\n"
        )

    @classmethod
    def read(cls, folder: Path) -> Layout:
        """Return the layout of the store in `folder`; raises RunError where there is none, or one of another format."""
        path = folder / "store.json"
        try:
            header = json.loads(path.read_text())
            found = header.pop("format")
            layout = cls(**header | {"observation_shape": tuple(header["observation_shape"])})
        except FileNotFoundError:
            raise RunError(f"There is no replay store in '{folder}': '{path.name}' is missing.") from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise RunError(f"'{path}' is not the header of a replay store: {error}.") from error
        if found != FORMAT:
            raise RunError(f"The replay store in '{folder}' has format {found}; this version reads format {FORMAT}.")
        return layout


def to_records(step: Step, held_out: npt.NDArray[np.bool_], is_key: bool) -> Records:
    """Return `RECORD` (N,), everything of a step but its frames and where they end.

    Args:
        held_out: whether the episode of each stream is held out (N,).
        is_key: whether the frames of the step are key frames.
    """
    records = np.zeros(len(step.reward), RECORD)
    records["reward"], records["action"] = step.reward, step.action
    flags = FIRST * step.is_first | LAST * step.is_last | TERMINAL * step.is_terminal | HELD_OUT * held_out
    records["flags"] = WRITTEN | flags | KEY_FRAME * is_key
    return records
