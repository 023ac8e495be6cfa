"""Runs a peer's code in a process of its own, one turn at a time."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Peer:
    """A program that answers each line with the JSON of one turn.

    Args:
        python: the Python of the peer's virtual environment.
        program: a script beside this one, or the absolute path of a script.
    """

    def __init__(self, python: str, program: str, *arguments: Any):
        self._words = [python, str(Path(__file__).parent / program), *map(str, arguments)]
        self._process = subprocess.Popen(self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._rows: list[dict[str, float]] = []

    def turn(self) -> None:
        """Let the peer work while this process waits."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("The process of the peer has no pipes.")
        stdin.write("go\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise SystemExit(f"The peer has ended with status {self._process.wait()}: {' '.join(self._words)}")
        self._rows.append(json.loads(line))

    def end(self) -> Sequence[dict[str, float]]:
        """End the process, and return what it gave for each turn but the first, in which graphs are traced."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        return self._rows[1:]
