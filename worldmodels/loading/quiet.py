"""Loads TensorFlow without the messages that it prints on every machine."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from worldmodels.config.devices import claim_devices, claim_threads
from worldmodels.core.errors import UserError
from worldmodels.core.files.run_dir import RunDir


def load_tensorflow_for(run: str | Path) -> None:
    """Import TensorFlow to open a run's folder; a wrong folder is refused before, since the import takes seconds.

    Raises:
        RunError: the folder is missing or of another version.
    """
    RunDir.open(run)
    load_tensorflow()


KERAS = {"floatx": "float32", "image_data_format": "channels_last", "epsilon": 1e-7}
"""The settings of Keras that the networks need; they are its defaults."""


def _claim_keras() -> None:
    """Give Keras the settings of `KERAS`; a file `keras.json` of the user may have others.

    Raises:
        UserError: the process has imported Keras with another backend.
    """
    import keras

    if (backend := keras.config.backend()) != "tensorflow":
        raise UserError(
            f"The networks need Keras with the backend 'tensorflow'. This process imported it with '{backend}' before. "
            "Set KERAS_BACKEND=tensorflow, and start again."
        )
    for name, value in KERAS.items():
        getattr(keras.config, f"set_{name}")(value)


@contextmanager
def _hidden(package: str) -> Iterator[None]:
    """Let a package that was not imported yet look as if it were not installed."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[package]


@contextmanager
def _no_collections() -> Iterator[None]:
    """Let the garbage collector rest."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def load_tensorflow(devices: int = 1, threads: int = 0) -> None:
    """Import TensorFlow and find its devices; its messages are shown only if that fails.

    Its C++ code writes to the file descriptor before any setting applies, so the descriptor is redirected.

    Its 300,000 objects live as long as the process, so the garbage collector rests meanwhile and skips them later. The
    import takes 7 % less time, and a collection after a checkpoint 0.01 s in place of 0.16 s.

    Args:
        devices: the number of devices that the run needs; see `claim_devices`.
        threads: the number of threads; see `claim_threads`.
    """
    is_new = "tensorflow" not in sys.modules
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # Otherwise the first process takes the whole memory of a GPU, and no other can open a run that trains.
    os.environ.setdefault("TF_FORCE_GPU_ALLOW_GROWTH", "true")
    if "keras" not in sys.modules:
        os.environ["KERAS_BACKEND"] = "tensorflow"  # TensorFlow's import imports Keras
    sys.stderr.flush()
    terminal = os.dup(2)
    with tempfile.TemporaryFile() as remarks:
        os.dup2(remarks.fileno(), 2)
        try:
            # Keras imports matplotlib for plots that nobody draws: a seventh of the time.
            with _hidden("matplotlib"), _no_collections():
                import tensorflow as tf

                _claim_keras()
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
    if is_new:  # a process that loaded it before keeps its own settings
        gc.collect()
        gc.freeze()
