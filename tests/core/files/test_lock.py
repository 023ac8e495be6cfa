"""A lock on a folder, as those see it who want it too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from worldmodels.core.errors import RunError
from worldmodels.core.files.writing import lock_holder, locked

HOLD = "import sys\nfrom pathlib import Path\nfrom worldmodels.core.files.writing import locked\n"
HOLD += "with locked(Path(sys.argv[1]), 'busy in'):\n    print('held', flush=True)\n    sys.stdin.read()"


def test_one_process_has_it(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert lock_holder(folder) is None and not folder.exists()
    with locked(folder, "busy in"):
        assert lock_holder(folder) == str(os.getpid())
        with pytest.raises(RunError, match=rf"process .number {os.getpid()}. is busy in '.*new'. Wait for it, stop it"):
            locked(folder, "busy in").__enter__()
    assert lock_holder(folder) is None


def test_the_death_of_its_holder_frees_it(tmp_path: Path) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], text=True, **pipes) as holder:  # type: ignore[call-overload]
        assert holder.stdout.readline() == "held\n"
        assert lock_holder(tmp_path) == str(holder.pid)
        holder.kill()
        holder.wait()
        assert lock_holder(tmp_path) is None
