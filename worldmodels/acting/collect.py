"""Generates all real steps: an actor acts in a vector environment, and every observation becomes a `Step`.

Records the infos of episodes: sums, means and maxima of the numbers that `env.info` names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from worldmodels.core.seeding import Streams
from worldmodels.core.types import Step
from worldmodels.envs import can_save
from worldmodels.envs.config import NO_INFO, InfoConfig

if TYPE_CHECKING:
    from worldmodels.acting.actor import Actor, PolicyOutput
    from worldmodels.envs import VectorEnv


class EpisodeInfo:
    """Records the infos of the current episode of each of N environments."""

    def __init__(self, num_envs: int, config: InfoConfig):
        self.names = [f"{how}/{name}" for how in ("sum", "mean", "max") for name in getattr(config, how)]
        self._is_mean = np.array([name.startswith("mean/") for name in self.names], bool)
        self._is_max = np.array([name.startswith("max/") for name in self.names], bool)
        self._found: np.ndarray = np.zeros((num_envs, len(self.names)))

    def add(self, step: Step) -> None:
        """Add a step; the step of a reset begins an episode, and its infos do not count."""
        if not self.names:
            return
        info: Any = step.info
        is_first = step.is_first[:, None]
        added = np.where(self._is_max, np.maximum(self._found, info), self._found + info)
        self._found = np.where(is_first, np.where(self._is_max, -np.inf, 0.0), added)

    def values(self, lengths: np.ndarray) -> np.ndarray:
        """Return float64 (N, K), the K numbers of each episode so far; undefined before its first step.

        Args:
            lengths: int (N,), the steps of each episode so far.
        """
        return self._found / np.where(self._is_mean, np.maximum(lengths, 1)[:, None], 1)

    def save(self) -> dict[str, Any]:
        return {"found": self._found}

    def load(self, tree: dict[str, Any]) -> None:
        self._found = tree["found"]


class Collector:
    """Owns a vector environment with NEXT_STEP autoreset, and its next observation.

    Training, evaluation and recording are consumers of `steps`.

    Args:
        noise: replaces the chosen actions in the environment; steps hold the chosen ones.
    """

    def __init__(self, env: VectorEnv, seed: int, noise: Callable[[np.ndarray], np.ndarray] | None = None):
        self.env: Any = env  # Any: saving is ours, Gymnasium's class knows nothing of it
        self._nothing: np.ndarray = np.zeros((env.num_envs, 0), np.float32)
        self._seed, self._noise = seed, noise
        self._begin()

    def steps(
        self, actor: Actor, count: int, rewarded: Callable[[np.ndarray], object] | None = None
    ) -> Iterator[tuple[Step, PolicyOutput]]:
        """Yield `count` batched steps of N environments, each with the output of the policy.

        Args:
            rewarded: is called with the rewards (N,) of each action, before its step is yielded.
        """
        for _ in range(count):
            arrived = self._arrived
            output = actor.act(arrived["observation"], arrived["is_first"])
            self._advance(self._noise(output.action) if self._noise else output.action)
            if rewarded is not None:
                rewarded(self._arrived["reward"])
            yield Step(**arrived, action=output.action), output

    @property
    def arrived(self) -> dict[str, Any]:
        """The fields of the next `Step` without its action."""
        return self._arrived

    @property
    def resumes_exactly(self) -> bool:
        """Whether the environments can be saved; other environments begin new episodes after `load`."""
        return can_save(self.env)

    def save(self) -> dict[str, Any]:
        """Return the exact states of the environments, and the next observation."""
        if not self.resumes_exactly:
            # They begin new episodes, on other levels each time.
            return {"next_seed": Streams(self._seed).integer("after resuming")}
        states = self.env.get_state()
        return {"arrived": dict(self._arrived), "envs": {f"{i:04d}": state for i, state in enumerate(states)}}

    def load(self, tree: dict[str, Any]) -> None:
        if "next_seed" in tree:
            self._seed = tree["next_seed"]
            self._begin()
            return
        self._arrived = {"info": self._recorded({}), **tree["arrived"]}  # older runs have none
        self.env.set_state([state for _, state in sorted(tree["envs"].items())])

    def _begin(self) -> None:
        observation, info = self.env.reset(seed=self._seed)
        none = np.zeros(self.env.num_envs, bool)
        self._arrived = {
            "observation": observation,
            "reward": np.zeros(self.env.num_envs, np.float32),
            "is_first": ~none,
            "is_last": none,
            "is_terminal": none,
            "info": self._recorded(info),
        }

    def _advance(self, action: np.ndarray) -> None:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._arrived = {
            "observation": observation,
            "reward": np.asarray(reward, np.float32),
            # The step after an episode's last one resets the environment, so what arrives is a first observation.
            "is_first": self._arrived["is_last"],
            "is_last": terminated | truncated,
            "is_terminal": np.asarray(terminated, bool),
            "info": self._recorded(info),
        }

    def _recorded(self, info: dict[str, Any]) -> np.ndarray:
        recorded: np.ndarray = info.get("recorded", self._nothing)
        return recorded


class EpisodeTracker:
    """Sums up the rewards, lengths and recorded infos of episodes."""

    def __init__(self, num_envs: int, info: InfoConfig = NO_INFO):
        self._return: np.ndarray = np.zeros(num_envs)
        self._length: np.ndarray = np.zeros(num_envs, np.int64)
        self._info = EpisodeInfo(num_envs, info)

    def add(self, step: Step) -> list[dict[str, float]]:
        """Add one batched step; return the return, the length and the infos of each episode that ended with it."""
        self._return = np.where(step.is_first, 0.0, self._return) + step.reward
        self._length = np.where(step.is_first, 0, self._length + 1)
        self._info.add(step)
        return [self._episode(i) for i in np.flatnonzero(step.is_last).tolist()]

    def _episode(self, i: int) -> dict[str, float]:
        info = dict(zip(self._info.names, self._info.values(self._length)[i].tolist(), strict=True))
        return {"return": float(self._return[i]), "length": float(self._length[i]), **info}

    def save(self) -> dict[str, Any]:
        return {"return": self._return, "length": self._length, "info": self._info.save()}

    def load(self, tree: dict[str, Any]) -> None:
        self._return, self._length = tree["return"], tree["length"]
        if "info" in tree:  # older runs have none
            self._info.load(tree["info"])
