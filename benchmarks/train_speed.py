"""Measures how fast world models and policies learn on this machine, and the errors of the fast models.

    python benchmarks/train_speed.py [--only dreamer next_frame ppo impala atari quality]
                                     [--peer-python PYTHON] [--dreamerv2-python PYTHON]

dreamer     recurrent models and the policy in them, DreamerV2's layout beside ours (`speed/dreamer.py`); beside its own
            code, if the Python of an environment with it is given (`speed/dreamerv2_peer.py`)
next_frame  SimPLe's models, published sizes and small ones: training and simulation (`speed/next_frame.py`)
ppo         in the real game; beside Stable-Baselines3's, where the Python of an environment with it is given
impala      the same with IMPALA's network
atari       the same in Pong
quality     errors of published and small next-frame layouts, after as many updates and after as much time

What is compared is measured in turn, so that whatever else the machine does meets all. Wall time depends on it;
processor time (user and system, all threads) much less. All pieces together take about 25 minutes on two cores.
Results of pieces that are left out stay as they were.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from provenance import made_by
from speed import dreamer, next_frame, ppo, quality
from speed.report import report
from speed.stopwatch import machine

PIECES: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "dreamer": lambda how: dreamer.measure(how.updates, how.dreamerv2_python),
    "next_frame": lambda how: next_frame.measure(how.rounds),
    "ppo": lambda how: ppo.measure(ppo.COINRUN, how.iterations, how.peer_python),
    "impala": lambda how: ppo.measure(ppo.IMPALA, how.iterations, how.peer_python),
    "atari": lambda how: ppo.measure(ppo.PONG, how.iterations, how.peer_python),
    "quality": lambda how: quality.measure(how.seconds),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PIECES, default=list(PIECES), metavar="PIECE")
    parser.add_argument("--updates", type=int, default=200, help="of each Dreamer learner (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="of the next-frame models (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=12, help="of PPO (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=150, help="of learning for quality (default: %(default)s)")
    parser.add_argument("--peer-python", help="of a virtual environment with Stable-Baselines3 and this project")
    parser.add_argument("--dreamerv2-python", help="of a virtual environment with DreamerV2's own code")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "train_speed")
    how = parser.parse_args()
    json_file = how.output.with_suffix(".json")
    result = json.loads(json_file.read_text()) if json_file.exists() else {}
    how.output.parent.mkdir(parents=True, exist_ok=True)
    for name in how.only:
        result[name] = PIECES[name](how) | {"machine": machine(), "made_by": made_by()}
        # After each piece: a later one that fails takes nothing away.
        json_file.write_text(json.dumps(result, indent=2) + "\n")
        how.output.with_suffix(".md").write_text(report(result))
    print(report(result))


if __name__ == "__main__":
    main()
