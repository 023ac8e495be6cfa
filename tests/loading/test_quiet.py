"""Loading TensorFlow: what it leaves behind is not looked at by each collection of garbage."""

from __future__ import annotations

import gc
import subprocess
import sys

from worldmodels.loading.quiet import load_tensorflow


def test_what_it_brings_is_frozen() -> None:
    program = (
        "import gc; from worldmodels.loading.quiet import load_tensorflow; load_tensorflow(); "
        "assert gc.get_freeze_count() > 100_000 > len(gc.get_objects())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_lives_beside_one_that_was_loaded_before_is_not() -> None:
    import tensorflow  # noqa: F401

    frozen = gc.get_freeze_count()
    load_tensorflow()
    assert gc.get_freeze_count() <= frozen  # some may have gone since
