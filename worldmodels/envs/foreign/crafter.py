"""Crafter (Hafner, 2021, "Benchmarking the Spectrum of Agent Capabilities", arXiv:2109.06780) as Gymnasium has it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt


class CrafterEnv(gymnasium.Env[npt.NDArray[np.uint8], Any]):
    """Crafter: images, 17 actions, and 22 achievements, each worth 1 when it is first unlocked in an episode.

    `info["achievements"]` counts how often the episode reached each achievement; `info["unlocked"]` is 1 from the first
    time on and 0 before. `info["inventory"]` is the player's inventory. `info["reward"]` is the reward, also in the
    environment without rewards. An episode ends with the player's death, and is truncated after `length` steps.

    Args:
        reward: pay rewards; otherwise none, for exploration without them.
        size: pixels of each side of the image.
        length: steps of an episode; 10,000 in the paper.
        render_mode: None, or "rgb_array": `render()` then returns the last observation, because drawing another one
            would draw noise from the game's generator.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(
        self, reward: bool = True, size: int = 64, length: int = 10_000, render_mode: str | None = None
    ) -> None:
        import crafter

        self._game = crafter.Env(size=(size, size), reward=reward, length=length, seed=0)
        _put_in_order(self._game._world)
        self.observation_space = gymnasium.spaces.Box(0, 255, (size, size, 3), np.uint8)
        self.action_space = gymnasium.spaces.Discrete(len(self._game.action_names))
        self.render_mode = render_mode
        self._image: npt.NDArray[np.uint8] = np.zeros((size, size, 3), np.uint8)

    def get_action_meanings(self) -> list[str]:
        """Return the names of the actions."""
        return [name.replace("_", " ") for name in self._game.action_names]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Begin an episode in another world."""
        super().reset(seed=seed)
        self._game._seed, self._game._episode = int(self.np_random.integers(2**31 - 1)), 0
        self._image = self._game.reset()
        player = self._game._player
        return self._image, _told(player.inventory.copy(), player.achievements.copy())

    def step(self, action: Any) -> tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Take a step."""
        self._image, reward, done, info = self._game.step(int(action))
        died = info["discount"] == 0
        told = {**_told(info["inventory"], info["achievements"]), "reward": info["reward"]}
        return self._image, float(reward), died, done and not died, told

    def render(self) -> npt.NDArray[np.uint8]:
        """Return the last observation."""
        return self._image


def crafter_score(rates: npt.ArrayLike) -> float:
    """Return the score of the paper, in percent: the geometric mean of how often each achievement was unlocked.

    That is exp(mean(log(1 + s))) - 1 over the percentages s of the achievements.

    Args:
        rates: float (22,), the shares of episodes in which each achievement was reached. A run records them as
            "episode/max/unlocked/NAME".
    """
    return float(np.exp(np.log1p(100.0 * np.asarray(rates)).mean()) - 1.0)


def _told(inventory: dict[str, int], achievements: dict[str, int]) -> dict[str, Any]:
    unlocked = {name: int(count > 0) for name, count in achievements.items()}
    return {"inventory": inventory, "achievements": achievements, "unlocked": unlocked}


class _OrderedSet(dict[Any, None]):
    """A set that is gone through in the order in which it was filled."""

    def add(self, item: Any) -> None:
        self[item] = None

    def remove(self, item: Any) -> None:
        del self[item]


def _put_in_order(world: Any) -> None:
    """Let a world keep its creatures in order; by their places in memory, one seed would give many games."""
    reset = world.reset

    def reset_in_order(seed: int | None = None) -> None:
        reset(seed)
        world._chunks = defaultdict(_OrderedSet)

    world.reset = reset_in_order
