"""Recorded episodes of a run in one file, which are reality in a page whose environment no browser can run."""

from __future__ import annotations

import gzip
import json
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError
from worldmodels.envs.making import is_native
from worldmodels.loading.load import LoadedRun
from worldmodels.replay import ReplayReader
from worldmodels.replay.episodes import EpisodeSpan

FILE = "episodes"
MOST_EPISODES, MOST_STEPS, MOST_BYTES = 5, 400, 2_000_000
"""The largest file: so many episodes, steps of each, and bytes of all of them, compressed."""
MOST_ACTIONS = 48
"""A link has a letter for each action (page/link.js)."""


def check_recordable(run: LoadedRun) -> None:
    """Raise UserError if a page cannot show the recorded episodes of a run."""
    name, spec = run.config.env.game, run.parts.world_model.spec
    if is_native(run.config.env):
        raise UserError(f"A page plays one game. The run's environment is a mixture, '{name}'.")
    image = spec.observation.only
    if image is None or not image.is_image or image.shape[-1] not in (1, 3):
        raise UserError(f"A page shows one image of 1 or 3 colours. '{name}' shows {spec.observation}.")
    if not spec.action.is_discrete or spec.action.count > MOST_ACTIONS:
        raise UserError(f"A page plays at most {MOST_ACTIONS} choices. The actions of '{name}' are {spec.action}.")
    if not (run.run_dir.replay.is_dir() and ReplayReader(run.run_dir.replay).episodes()):
        raise UserError(
            f"A page plays a native game, or else recorded episodes. '{name}' is no native game, and the run in "
            f"'{run.run_dir.path}' keeps no recorded episode."
        )


def episodes_file(run: LoadedRun) -> bytes:
    """Return some recorded episodes of a run: those from which its model has not learned first, then the newest.

    The file is the length of its head in 4 bytes, little end first, the head as JSON, and the frames of all episodes,
    uint8. The first frame of an episode stands there as it is, and each later one as its change, modulo 256: changes
    take less room once the file is compressed.
    """
    reader = ReplayReader(run.run_dir.replay)
    spans = sorted(reader.episodes(), key=lambda span: (not span.held_out, -span.start))[:MOST_EPISODES]
    head, changes = [], []
    for span in spans:
        about, frames = _episode(reader, span, MOST_BYTES // len(spans))
        head.append(about)
        changes.append(frames)
    text = json.dumps({"shape": changes[0].shape[1:], "episodes": head}, allow_nan=False).encode()
    return struct.pack("<I", len(text)) + text + b"".join(frames.tobytes() for frames in changes)


def _episode(reader: ReplayReader, span: EpisodeSpan, most_bytes: int) -> tuple[dict[str, Any], npt.NDArray[np.uint8]]:
    """Return what a page knows of an episode, and its frames as changes; of one that takes too much room, the start."""
    batch = reader.window(span.stream, span.start, min(span.length, MOST_STEPS + 1))
    changes = np.diff(batch.observation[0], axis=0, prepend=np.zeros_like(batch.observation[0, :1]))
    packed = len(gzip.compress(changes.tobytes(), mtime=0))
    count = max(2, min(len(changes), len(changes) * most_bytes // packed))
    about = {
        "actions": batch.action[0, : count - 1].tolist(),
        "rewards": batch.reward[0, 1:count].tolist(),
        "ended": span.ended and count == span.length,
        "held_out": span.held_out,
    }
    return about, changes[:count]
