"""Writes a trace of some iterations of a run, in which TensorBoard shows what takes the time."""

from __future__ import annotations

from pathlib import Path

FIRST, COUNT = 20, 10
"""The first iteration in the trace, after the graphs were made, and the number of iterations."""


class Profile:
    """A trace of iterations `FIRST` to `FIRST + COUNT - 1` of this process.

    Args:
        folder: the run's folder, which takes the trace (`plugins/profile`); None for no trace.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder, self._iterations, self._runs = folder, 0, False

    def iteration(self) -> str | None:
        """Count an iteration that begins, start or end the trace, and return a message if it is written."""
        self._iterations += 1
        if self._folder is None or self._iterations not in (FIRST, FIRST + COUNT):
            return None
        if self._runs:
            return self.end()
        import tensorflow as tf

        tf.profiler.experimental.start(str(self._folder))
        self._runs = True
        return None

    def end(self) -> str | None:
        """Write the trace if it is under way; return a message with its place."""
        if not self._runs:
            return None
        import tensorflow as tf

        tf.profiler.experimental.stop()
        self._runs = False
        return f"The trace is written: tensorboard --logdir {self._folder} shows it in the tab Profile"
