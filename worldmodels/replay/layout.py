"""The shape of a store on disk, and the small header file that says it.

A store is a folder. It holds `store.json` (this header) and two files for each chunk, a range of consecutive steps of
all streams: `00000012.frames`, in which every stream has its own region so that a window of one stream is one
contiguous read, and `00000012.steps`, to which one row of records is appended when all frames of a step are written.
The second file is the truth: a step exists when its row does. Frames are stored as they are. Compressed they would
take a tenth of the disk, but then every window would cost the decoding of whole blocks.
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

FORMAT = 1
RECORD = np.dtype([("reward", "<f4"), ("action", "<i4"), ("flags", "u1")])
FIRST, LAST, TERMINAL, HELD_OUT = 1, 2, 4, 8
# In every record, so that a row of zeros, which a power cut can leave at the end of a file, is no step.
WRITTEN = 128

Records = npt.NDArray[np.void]
Frames = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Layout:
    """What the bytes of a store mean."""

    num_streams: int
    observation_shape: tuple[int, ...]
    chunk_steps: int
    """Steps of each stream in a chunk."""

    @property
    def frame_bytes(self) -> int:
        return math.prod(self.observation_shape)

    @property
    def row_bytes(self) -> int:
        """Bytes that one step of all streams adds to a `.steps` file."""
        return self.num_streams * RECORD.itemsize

    @property
    def step_bytes(self) -> int:
        """Bytes on disk of one step of all streams."""
        return self.num_streams * self.frame_bytes + self.row_bytes

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / "store.json", json.dumps({"format": FORMAT, **asdict(self)}, indent=2) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Layout:
        """Raises RunError where there is no store, or one of another format."""
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


def to_records(step: Step, held_out: npt.NDArray[np.bool_]) -> Records:
    """Everything of a step but its frames, and whether its episode is held out (N,): `RECORD` (N,)."""
    records = np.empty(len(step.reward), RECORD)
    records["reward"], records["action"] = step.reward, step.action
    flags = FIRST * step.is_first | LAST * step.is_last | TERMINAL * step.is_terminal | HELD_OUT * held_out
    records["flags"] = WRITTEN | flags
    return records
