"""A peer's code in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from speed.peer import Peer


def test_it_works_when_it_is_its_turn_and_the_first_turn_does_not_count(tmp_path: Path) -> None:
    program = tmp_path / "peer.py"
    program.write_text(
        "import json, sys\nfor number, _ in enumerate(sys.stdin):\n"
        "    print(json.dumps({'wall': number + float(sys.argv[1])}), flush=True)\n"
    )
    peer = Peer(sys.executable, str(program), 0.5)
    for _ in range(3):
        peer.turn()
    assert peer.end() == [{"wall": 1.5}, {"wall": 2.5}]


def test_a_peer_that_ends_is_named(tmp_path: Path) -> None:
    program = tmp_path / "peer.py"
    program.write_text("raise SystemExit(3)\n")
    with pytest.raises(SystemExit, match=r"The peer has ended with status 3: .*peer\.py"):
        Peer(sys.executable, str(program)).turn()
