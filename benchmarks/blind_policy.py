"""Measures policies that see nothing: each holds one action in a game of `learning.py`, on the same levels.

    python benchmarks/blind_policy.py

Easy mode. All 15 actions are tried on the training levels, and the action with the highest return is measured there and
on test levels. Writes results/blind_policy.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from provenance import made_now

from worldmodels.analysis.runs.reference_scores import normalised_return
from worldmodels.analysis.statistics.bootstrap import interquartile_mean
from worldmodels.core.files.writing import write_atomic
from worldmodels.envs import make_vec
from worldmodels.envs.games.table import GAME_INFO

TRAINING_LEVELS = {"coinrun": (20, 200), "starpilot": (200,), "bossfight": (200,), "ninja": (200,), "leaper": (200,)}
TRAINING_LEVELS |= {"fruitbot": (200,)}
"""For each game the numbers of training levels, from level 0 on; the demonstration has the first 20 of CoinRun."""
ACTIONS = 15
NUM_ENVS = 128
OF_THE_STUDY = 200
TO_CHOOSE, TO_MEASURE = 4, 32
"""Episodes of each environment."""
FILE = Path(__file__).parent / "results" / "blind_policy.md"
HEADING = f"""# Policies that see nothing

Each holds one action, whatever it is shown: of all {ACTIONS} actions the one with the highest return on the training
levels. Easy mode. On training levels the mean is over levels, each played many times; on test levels it is over
{NUM_ENVS * TO_MEASURE:,} episodes, with the 95 % interval. Normalised returns are those of [learning.md](learning.md),
and the interquartile mean is over the games with {OF_THE_STUDY} training levels.
`python benchmarks/blind_policy.py`. {made_now()}

| game | training levels | action | return, training levels | normalised | return, test levels | normalised |
|---|---|---|---|---|---|---|
"""


def play(game: str, action: int, first: int, levels: int, each: int) -> dict[int, list[float]]:
    """Return the returns of the first `each` episodes of all environments, by their levels; 0 `levels` is no limit."""
    env = make_vec(game, seed=0, num_envs=NUM_ENVS, distribution_mode="easy", start_level=first, num_levels=levels)
    found: dict[int, list[float]] = defaultdict(list)
    returns, episodes = np.zeros(NUM_ENVS), np.zeros(NUM_ENVS, int)
    env.reset()
    while episodes.min() < each:
        _, rewards, terminated, truncated, info = env.step(np.full(NUM_ENVS, action))
        returns += rewards
        for index in np.flatnonzero(terminated | truncated):
            if episodes[index] < each:
                found[int(info["prev_level_seed"][index])].append(returns[index])
            returns[index], episodes[index] = 0, episodes[index] + 1
    return found


def mean_over_levels(found: dict[int, list[float]]) -> float:
    """Return the mean over levels of each level's mean return."""
    return float(np.mean([np.mean(returns) for returns in found.values()]))


def rows() -> Iterator[str]:
    """Yield the rows of the table; the last row is the mean over games."""
    normalised = []
    for game, numbers in TRAINING_LEVELS.items():
        for levels in numbers:
            chosen = max(range(ACTIONS), key=lambda action: mean_over_levels(play(game, action, 0, levels, TO_CHOOSE)))
            trained = mean_over_levels(play(game, chosen, 0, levels, TO_MEASURE))
            tested = np.concatenate([*play(game, chosen, levels, 0, TO_MEASURE).values()])
            half = 1.96 * tested.std(ddof=1) / len(tested) ** 0.5
            interval = f"{tested.mean():.2f} ({tested.mean() - half:.2f} to {tested.mean() + half:.2f})"
            scores = [normalised_return(game, "easy", value) for value in (trained, tested.mean())]
            if levels == OF_THE_STUDY:
                normalised.append(scores)
            names = f"{GAME_INFO[game].title} | {levels} | {GAME_INFO[game].action_meanings[chosen]}"
            yield f"| {names} | {trained:.2f} | {scores[0]:.3f} | {interval} | {scores[1]:.3f} |"
    means = [float(interquartile_mean([np.array(scores)])) for scores in zip(*normalised, strict=True)]
    yield f"| interquartile mean of six games | {OF_THE_STUDY} | | | {means[0]:.3f} | | {means[1]:.3f} |"


def main() -> None:
    """Print and write the table."""
    found = []
    for row in rows():
        print(row, flush=True)
        found.append(row)
    write_atomic(FILE, HEADING + "\n".join(found) + "\n")


if __name__ == "__main__":
    main()
