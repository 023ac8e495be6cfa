"""Loading TensorFlow: what it leaves behind is not looked at by each collection of garbage."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from worldmodels.core.errors import UserError
from worldmodels.loading.quiet import load_tensorflow


def test_what_it_brings_is_frozen() -> None:
    program = (
        "import gc; from worldmodels.loading.quiet import load_tensorflow; load_tensorflow(); "
        "assert gc.isenabled() and gc.get_freeze_count() > 100_000 > len(gc.get_objects())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_lives_beside_one_that_was_loaded_before_is_not() -> None:
    import tensorflow  # noqa: F401

    frozen = gc.get_freeze_count()
    load_tensorflow()
    assert gc.get_freeze_count() <= frozen  # some may have gone since


def test_plots_are_imported_by_whoever_draws() -> None:
    program = (
        "import sys; from worldmodels.loading.quiet import load_tensorflow; load_tensorflow(); "
        "assert not any(name.startswith('matplotlib') for name in sys.modules); import matplotlib.pyplot"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


SETTINGS = (
    "from worldmodels.loading.quiet import load_tensorflow; load_tensorflow(); import keras; c = keras.config; "
    "print(c.backend(), c.floatx(), c.image_data_format(), c.epsilon())"
)


def test_settings_of_keras_by_the_user_are_set_anew(tmp_path: Path) -> None:
    text = '{"floatx": "float16", "epsilon": 0.001, "backend": "numpy", "image_data_format": "channels_first"}'
    (tmp_path / "keras.json").write_text(text)
    environment = {**os.environ, "KERAS_HOME": str(tmp_path), "KERAS_BACKEND": "jax"}
    command = [sys.executable, "-c", SETTINGS]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout, done.stderr) == ("tensorflow float32 channels_last 1e-07\n", "")


def test_keras_with_another_backend_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import keras

    monkeypatch.setattr(keras.config, "backend", lambda: "jax")
    with pytest.raises(UserError, match="with 'jax' before. Set KERAS_BACKEND=tensorflow"):
        load_tensorflow()
