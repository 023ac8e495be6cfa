"""Measures the random policy in Procgen's games; runs in an environment with the package `procgen2`.

    python benchmarks/procgen_random_policy.py coinrun:easy maze:memory ... [--episodes 2048]

Adds to results/procgen_random_policy.json, which `random_policy.py` compares ours with.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from procgen import ProcgenGym3Env
from provenance import made_by

NUM_ENVS = 128
RESULT = Path(__file__).parent / "results" / "procgen_random_policy.json"


def play(game, mode, episodes):
    """Return, length and completion of the first episodes of each environment: (episodes, 3)."""
    env = ProcgenGym3Env(num=NUM_ENVS, env_name=game, distribution_mode=mode, num_threads=0, rand_seed=2)
    random = np.random.default_rng(0)
    found = [[] for _ in range(NUM_ENVS)]
    returns, lengths = np.zeros(NUM_ENVS), np.zeros(NUM_ENVS, int)
    while min(map(len, found)) < episodes // NUM_ENVS:
        env.act(random.integers(0, 15, NUM_ENVS).astype(np.int32))
        rewards, _, first = env.observe()
        returns += rewards
        lengths += 1
        info = env.get_info()
        for index in np.flatnonzero(first):
            found[index].append((returns[index], lengths[index], info[index]["prev_level_complete"]))
            returns[index] = lengths[index] = 0
    return np.array([episode for list_ in found for episode in list_[: episodes // NUM_ENVS]], float)


def main():
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("settings", nargs="+", metavar="GAME:MODE")
    parser.add_argument("--episodes", type=int, default=2048)
    arguments = parser.parse_args()
    for setting in arguments.settings:
        game, mode = setting.split(":")
        played = play(game, mode, arguments.episodes)
        known = json.loads(RESULT.read_text()) if RESULT.exists() else {}
        known[f"{game} {mode}"] = {
            "episodes": len(played),
            "return": played[:, 0].mean(),
            "return_error": played[:, 0].std() / len(played) ** 0.5,
            "length": played[:, 1].mean(),
            "length_error": played[:, 1].std() / len(played) ** 0.5,
            "completed": played[:, 2].mean(),
            "made_by": made_by(),
        }
        RESULT.write_text(json.dumps(dict(sorted(known.items())), indent=2) + "\n")
        print(setting, known[f"{game} {mode}"], flush=True)


if __name__ == "__main__":
    main()
