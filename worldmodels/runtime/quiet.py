"""Loads TensorFlow without the remarks that it prints about every machine."""

from __future__ import annotations

import os
import sys
import tempfile


def load_tensorflow() -> None:
    """Import TensorFlow and find its devices; what it prints meanwhile is shown only if that fails.

    Its C++ side writes to the file descriptor, before any of its own settings apply; so that is what is diverted.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    terminal = os.dup(2)
    with tempfile.TemporaryFile() as remarks:
        os.dup2(remarks.fileno(), 2)
        try:
            import tensorflow as tf

            tf.zeros(()).numpy()  # the first operation looks for devices
        except BaseException:
            remarks.seek(0)
            os.write(terminal, remarks.read())
            raise
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)
