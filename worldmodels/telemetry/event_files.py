"""Verify TensorBoard's event files, whose records carry checksums of their own."""

from __future__ import annotations

from pathlib import Path

from worldmodels.core.errors import FileError


def count_events(path: Path) -> int:
    """Return how many whole records an event file holds; a last one that is torn, by a kill, does not count.

    Raises:
        FileError: a record was damaged.
    """
    import tensorflow as tf

    count = 0
    try:
        for _ in tf.data.TFRecordDataset(str(path), buffer_size=1 << 18):
            count += 1
    except tf.errors.DataLossError as error:
        if "truncated" not in str(error):
            raise FileError(f"'{path}' was damaged in record {count + 1}: its checksum differs.") from error
    return count
