"""Measures a run in a foreign environment: `python benchmarks/foreign_worlds/measure.py RUN FILE` writes JSON.

The policy plays whole episodes at temperature 1, and the random policy plays as many; in Freeway so does a policy that
sees nothing and always goes up. In Crafter the figure is the score over all achievements; for an agent that explores,
its explorer is measured. Beside the score at the end stands the paper's figure: the score of all episodes of training.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from worldmodels.analysis.runs.records import load_metrics
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.seeding import Streams
from worldmodels.loading.quiet import load_tensorflow

if TYPE_CHECKING:
    from worldmodels.acting.actor import PolicyOutput
    from worldmodels.loading.load import LoadedRun

EPISODES = 20
NOTE = "held_start.json"
"""The file in a run's folder with what its held first steps met (`held_start.py`)."""
CRAFTER_EPISODES = 100
"""Crafter's are short, and most of its achievements so rare that 20 say little."""
UNLOCKED = "episode/max/unlocked/"
LONGEST = 30_000
"""Steps after which an episode is cut."""
UP = {"ALE/Freeway-v5": 1}
"""The action that goes up, by game."""


class ConstantActor:
    """Chooses one action always, whatever it sees."""

    def __init__(self, action: int):
        self._action = action

    def act(self, observation: Any, is_first: np.ndarray) -> PolicyOutput:
        from worldmodels.acting.actor import PolicyOutput

        return PolicyOutput(np.full(len(is_first), self._action, np.int32))


def measure(run: Path) -> dict[str, Any]:
    """Return the step of a run's newest checkpoint, and the returns of its policy and of the random one."""
    load_tensorflow()
    from worldmodels.acting.actor import ModelActor, RandomActor
    from worldmodels.loading.load import load_run

    loaded = load_run(run)
    parts, streams = loaded.parts, Streams(0)
    # What explores is to be measured by what it finds.
    agent = getattr(parts.agent, "explorer", parts.agent)
    crafter = loaded.config.env.game.startswith("Crafter")
    count = CRAFTER_EPISODES if crafter else EPISODES
    players: dict[str, Any] = {
        "policy": ModelActor(parts.model, agent, count, streams.key("actor")),
        "random": RandomActor(parts.model.spec.action, streams.generator("random")),
    }
    if loaded.config.env.game in UP and loaded.config.seed == 1:  # it plays the same episodes beside every run
        players["up"] = ConstantActor(UP[loaded.config.env.game])
    returns = {name: _play(loaded, actor, count) for name, actor in players.items()}
    if crafter:
        returns["training"] = score_in_training(run)
    note = run / NOTE
    held = {"held_start": json.loads(note.read_text())} if note.exists() else {}
    return {"step": loaded.step, "episodes": count, "returns": returns, **held}


def _play(loaded: LoadedRun, actor: Any, count: int) -> dict[str, Any]:
    """Return the mean return and that of each episode; in Crafter the score, and how often what was unlocked."""
    from worldmodels.evaluation.playing.policy_returns import evaluate_policy

    env, levels = loaded.make_env(count), Streams(0).integer("levels")
    try:
        episodes = evaluate_policy(env, actor, count, LONGEST, levels, info=loaded.config.env.info)
    finally:
        env.close()
    rates = _unlocked(episodes.info_means())
    if rates:
        return _scored(rates)
    return {"each": episodes.returns.tolist(), "mean": float(episodes.returns.mean())}


def _unlocked(means: Mapping[str, float], prefix: str = "max/unlocked/") -> dict[str, float]:
    """Return the shares of episodes in which Crafter's achievements were unlocked, which are means of 0 and 1."""
    return {name.removeprefix(prefix): mean for name, mean in means.items() if name.startswith(prefix)}


def _scored(rates: Mapping[str, float]) -> dict[str, Any]:
    from worldmodels.envs.foreign.crafter import crafter_score

    return {"mean": crafter_score(list(rates.values())), "unlocked": rates}


def score_in_training(run: Path) -> dict[str, Any]:
    """Return Crafter's score over the episodes of a run's training, from what it has recorded.

    A record holds means over the episodes that ended since the one before. All records are of as many steps, so there
    are as many more episodes in one as these are shorter.
    """
    found = load_metrics(run)
    episodes = 1 / found["episode/length"].values
    means = {
        name: float(np.average(found[name].values, weights=episodes)) for name in found if name.startswith(UNLOCKED)
    }
    return _scored(_unlocked(means, UNLOCKED))


if __name__ == "__main__":
    write_atomic(sys.argv[2], json.dumps(measure(Path(sys.argv[1])), allow_nan=False) + "\n")
