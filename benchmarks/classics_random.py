"""Measures the random policy in the tasks of `classics.py`.

    pip install -e '.[mujoco,box2d]'
    python benchmarks/classics_random.py

Actions are drawn uniformly from the whole space, 100 episodes of each task. Writes results/classics_random.md in less
than a minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
from peers.tasks import TASKS, Task
from provenance import made_now

from worldmodels.core.files.writing import write_atomic

EPISODES = 100
FILE = Path(__file__).parent / "results" / "classics_random.md"
HEADING = f"""# The random policy in the tasks of the classic methods

Actions drawn uniformly, {EPISODES} episodes; brackets are 95 % intervals over episodes.
`python benchmarks/classics_random.py`. {made_now()}

| task | return |
|---|---|
"""


def returns(task: Task) -> Iterator[float]:
    """Yield the return of each episode."""
    env = gymnasium.make(task.env, **task.options)
    env.action_space.seed(0)
    for episode in range(EPISODES):
        env.reset(seed=episode)
        total, over = 0.0, False
        while not over:
            _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            total, over = total + float(reward), terminated or truncated
        yield total


def main() -> None:
    """Print and write the table."""
    rows = []
    for task in TASKS.values():
        found = np.array([*returns(task)])
        half = 1.96 * found.std(ddof=1) / EPISODES**0.5
        rows.append(f"| {task.title} | {found.mean():.1f} ({found.mean() - half:.1f} to {found.mean() + half:.1f}) |")
        print(rows[-1], flush=True)
    write_atomic(FILE, HEADING + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
