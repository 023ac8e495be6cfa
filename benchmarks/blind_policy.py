"""Searches the best policy that sees nothing of each native game and mode, and measures those of the study's games.

    python benchmarks/blind_policy.py [--search]

A policy holds one action, or several: in turn, or at random with fitted shares and lengths. The search plays random
levels from 1,000,000 on, none of which is a training level of a measurement. Its last round measures the best few on
other episodes, so the choice is no lucky one. Evaluations take the policies from
worldmodels/acting/blind_policies.yaml. The search adds the games and modes that this file lacks, one by one, so the
same command goes on after a stop. To search a policy anew, delete its line.

Without --search only the table of the games of `learning.py` is made anew: results/blind_policy.md.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from provenance import made_now

from worldmodels.acting.blind_actor import FILE as POLICIES
from worldmodels.acting.blind_actor import BlindActor, BlindPolicy, blind_policies
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
TO_MEASURE = 32
"""Episodes of each environment in the table."""
SEARCH_LEVEL = 1_000_000
"""The first level of the search."""
SEARCH_ENVS = 64
TO_SEARCH, TO_CHOOSE = 1, 8
"""Episodes of each environment in a round of the search, and in its last one."""
BEST_ACTIONS, BEST_POLICIES, BEST_SINGLES = 3, 4, 2
"""Actions that are combined, and policies and single actions of the last round."""
HOLDS = (1, 4, 16)
MOST_ACTIONS = 3
FILE = Path(__file__).parent / "results" / "blind_policy.md"
HEADING = f"""# Policies that see nothing

The best policy of each game that was found on levels from {SEARCH_LEVEL:,} on: it holds an action, or several in turn
or at random. Easy mode. On training levels the mean is over levels, each played many times; on test levels it is over
{NUM_ENVS * TO_MEASURE:,} episodes, with the 95 % interval. Normalised returns are those of [learning.md](learning.md),
and the interquartile mean is over the games with {OF_THE_STUDY} training levels.
`python benchmarks/blind_policy.py`. {made_now()}

| game | training levels | policy | return, training levels | normalised | return, test levels | normalised |
|---|---|---|---|---|---|---|
"""
REMARK = f"""\
# The best policies that see nothing, on levels from {SEARCH_LEVEL:,} on: `python benchmarks/blind_policy.py --search`.
# Actions are held for so many steps (hold), in turn or drawn at random; one that stands twice has twice the share.
"""


def play(
    game: str,
    mode: str,
    policy: BlindPolicy,
    first: int,
    levels: int,
    each: int,
    seed: int = 0,
    num_envs: int = NUM_ENVS,
) -> dict[int, list[float]]:
    """Return the returns of the first `each` episodes of all environments, by their levels; 0 `levels` is no limit.
    Exploration mode has one level, whatever is given."""
    given: dict[str, Any] = {} if mode == "exploration" else {"start_level": first, "num_levels": levels}
    env = make_vec(game, seed=seed, num_envs=num_envs, distribution_mode=mode, num_threads=1, **given)
    actor = BlindActor(policy, num_envs, np.random.default_rng(seed))
    found: dict[int, list[float]] = defaultdict(list)
    returns, episodes, is_first = np.zeros(num_envs), np.zeros(num_envs, int), np.ones(num_envs, bool)
    observation, _ = env.reset()
    while episodes.min() < each:
        observation, rewards, terminated, truncated, info = env.step(actor.act(observation, is_first).action)
        returns += rewards
        is_first = terminated | truncated
        for index in np.flatnonzero(is_first):
            if episodes[index] < each:
                found[int(info["prev_level_seed"][index])].append(returns[index])
            returns[index], episodes[index] = 0, episodes[index] + 1
    return found


def search(game: str, mode: str) -> BlindPolicy:
    """Return the best policy that is found for a game and a mode."""
    found: dict[BlindPolicy, float] = {}

    def measure(policies: Iterable[BlindPolicy], each: int = TO_SEARCH, seed: int = 0) -> list[BlindPolicy]:
        """Measure policies, and return them from the best to the worst."""
        policies = list(dict.fromkeys(policies))
        for policy in policies:
            returns = play(game, mode, policy, SEARCH_LEVEL, 0, each, seed, SEARCH_ENVS).values()
            found[policy] = float(np.concatenate([*returns]).mean())
        return sorted(policies, key=lambda policy: -found[policy])

    singles = measure(BlindPolicy((action,)) for action in range(ACTIONS))
    best = [policy.actions[0] for policy in singles[:BEST_ACTIONS]]
    measure(BlindPolicy(tuple(range(ACTIONS)), hold, in_turn=False) for hold in HOLDS)
    pairs = [(best[0], other) for other in best[1:]] + [(best[1], best[2])]
    measure(BlindPolicy(pair, hold, in_turn) for pair in pairs for hold in HOLDS for in_turn in (True, False))
    for count in range(2, MOST_ACTIONS):
        parents = sorted((policy for policy in found if len(policy.actions) == count), key=lambda one: -found[one])
        measure(
            BlindPolicy((*policy.actions, action), policy.hold, policy.in_turn)
            for policy in parents[:2]
            for action in best
        )
    chosen = sorted(found, key=lambda policy: -found[policy])[:BEST_POLICIES]
    return measure([*singles[:BEST_SINGLES], *chosen], TO_CHOOSE, seed=1)[0]


def search_missing() -> None:
    """Search the games and modes that the file of policies lacks, and write it after each of them."""
    policies = dict(blind_policies())
    for game, info in GAME_INFO.items():
        for name, mode in ((f"{game} ({mode})", mode) for mode in info.modes):
            if name not in policies:
                policies[name] = search(game, mode)
                print(entry(name, policies[name]), flush=True)
                write_atomic(POLICIES, REMARK + "".join(f"{entry(*item)}\n" for item in sorted(policies.items())))
    blind_policies.cache_clear()


def entry(name: str, policy: BlindPolicy) -> str:
    """Return the line of a policy in the file."""
    in_turn = str(policy.in_turn).lower()
    return f"{name}: {{actions: {[*policy.actions]}, hold: {policy.hold}, in_turn: {in_turn}}}"


def mean_over_levels(found: dict[int, list[float]]) -> float:
    """Return the mean over levels of each level's mean return."""
    return float(np.mean([np.mean(returns) for returns in found.values()]))


def rows() -> Iterator[str]:
    """Yield the rows of the table; the last row is the mean over games."""
    normalised = []
    for game, numbers in TRAINING_LEVELS.items():
        policy = blind_policies()[f"{game} (easy)"]
        for levels in numbers:
            trained = mean_over_levels(play(game, "easy", policy, 0, levels, TO_MEASURE))
            tested = np.concatenate([*play(game, "easy", policy, levels, 0, TO_MEASURE).values()])
            half = 1.96 * tested.std(ddof=1) / len(tested) ** 0.5
            interval = f"{tested.mean():.2f} ({tested.mean() - half:.2f} to {tested.mean() + half:.2f})"
            scores = [normalised_return(game, "easy", value) for value in (trained, tested.mean())]
            if levels == OF_THE_STUDY:
                normalised.append(scores)
            names = f"{GAME_INFO[game].title} | {levels} | {policy.words(GAME_INFO[game].action_meanings)}"
            yield f"| {names} | {trained:.2f} | {scores[0]:.3f} | {interval} | {scores[1]:.3f} |"
    means = [float(interquartile_mean([np.array(scores)])) for scores in zip(*normalised, strict=True)]
    yield f"| interquartile mean of six games | {OF_THE_STUDY} | | | {means[0]:.3f} | | {means[1]:.3f} |"


def printed(lines: Iterable[str]) -> Sequence[str]:
    """Print lines as they come, and return them."""
    found = []
    for line in lines:
        print(line, flush=True)
        found.append(line)
    return found


def main() -> None:
    """Search policies if asked to; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", action="store_true", help="search the policies that are missing first")
    if parser.parse_args().search:
        search_missing()
    write_atomic(FILE, HEADING + "\n".join(printed(rows())) + "\n")


if __name__ == "__main__":
    main()
