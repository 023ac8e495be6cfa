"""`worldmodels doctor` prints its findings and nothing else."""

from __future__ import annotations

import subprocess
import sys


def test_tensorflow_adds_no_remarks() -> None:
    program = "from worldmodels.runtime import doctor; doctor._MEASURE_SECONDS = 0; doctor.examine()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "ok      tensorflow" in done.stdout and "GPU" in done.stdout
