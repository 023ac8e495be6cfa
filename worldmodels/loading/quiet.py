"""Loads TensorFlow without the remarks that it prints about every machine."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from pathlib import Path

from worldmodels.config.devices import claim_devices, claim_threads
from worldmodels.core.errors import UserError
from worldmodels.core.files.run_dir import RunDir


def load_tensorflow_for(run: str | Path) -> None:
    """Import TensorFlow to open a run's folder; a wrong one is told before that takes its seconds.

    Raises:
        RunError: the folder is missing or of another version.
    """
    RunDir.open(run)
    load_tensorflow()


def load_tensorflow(devices: int = 1, threads: int = 0) -> None:
    """Import TensorFlow and find its devices; what it prints meanwhile is shown only if that fails.

    Its C++ side writes to the file descriptor, before any of its own settings apply; so that is what is diverted.

    Its 300,000 objects live as long as the process, and no collection of garbage needs to look at them again: one after
    each checkpoint would take 0.16 s, and takes 0.01 s.

    Args:
        devices: how many it has to have; see `claim_devices`.
        threads: how many it computes with; see `claim_threads`.
    """
    is_new = "tensorflow" not in sys.modules
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # Otherwise the first process takes the whole memory of a GPU, and nobody can look at a run while it trains.
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    sys.stderr.flush()
    terminal = os.dup(2)
    with tempfile.TemporaryFile() as remarks:
        os.dup2(remarks.fileno(), 2)
        try:
            import tensorflow as tf

            claim_devices(devices)
            claim_threads(threads)
            tf.zeros(()).numpy()  # the first operation looks for devices
        except UserError:
            raise
        except BaseException:
            remarks.seek(0)
            os.write(terminal, remarks.read())
            raise
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)
    if is_new:  # what else lives in a process that loaded it before is not ours to judge
        gc.collect()
        gc.freeze()
