"""Self-imitation: recorded episodes that came out better than the critic expects (Oh et al. 2018,
https://arxiv.org/abs/1806.05635).

A policy that has learned to do one thing everywhere meets some success by chance, and forgets it. Here every episode
that the world ended keeps a priority: by how much it did better than the critic expected when it was last drawn. So
what was reached once and is not understood yet is drawn most, and what is mastered hardly ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from worldmodels.acting.actor import PolicyOutput
from worldmodels.acting.build import Parts
from worldmodels.agents.api import Imitated
from worldmodels.agents.dreamer.actor_critic_config import ActorCriticConfig
from worldmodels.agents.returns import transform_rewards
from worldmodels.core.seeding import fold, generator_state, restore_generator
from worldmodels.core.types import Batch, Step
from worldmodels.replay import Replay, previous_actions

CONTEXT = 3
"""Steps at the beginning of a window that are not imitated, where the model has not seen the episode's begin."""
MOST = 4096
"""Episodes that are kept, those of the highest priorities."""
LEAST = 1e-3
"""A number added to every priority, so that no episode is given up for good."""


@dataclass
class PromisingEpisode:
    """An episode of the replay store that the world ended."""

    stream: int
    first: int
    returns: npt.NDArray[np.float32]
    """(T,), the discounted sum of the rewards that arrived after each of its steps."""
    priority: float
    """The mean over steps of how much better it went than expected."""

    @property
    def stop(self) -> int:
        """One more than the number of its last step."""
        return self.first + len(self.returns)


class SelfImitation:
    """Draws windows of recorded episodes for an agent to imitate, each in proportion to its episode's priority.

    Args:
        config: of the agent.
        batch: windows B of an update.
        length: steps T of each.
    """

    def __init__(self, parts: Parts, config: ActorCriticConfig, replay: Replay, batch: int, length: int) -> None:
        self._model, self._agent, self._config, self._replay = parts.world_model, parts.agent, config, replay
        self._batch, self._length = batch, length
        self._generator, self._key = parts.streams.generator("imitation"), parts.streams.key("imitation")
        self._begun = np.full(replay.num_streams, -1)
        self._episodes: list[PromisingEpisode] = []
        self._look = tf.function(self._values, autograph=False)

    def add(self, step: Step, output: PolicyOutput) -> None:
        """Take in the step that was appended to the store last."""
        now = self._replay.span.stop - 1
        self._begun[step.is_first] = now
        for stream in np.flatnonzero(step.is_last).tolist():
            if step.is_terminal[stream] and self._begun[stream] >= 0:
                self._keep(stream, range(int(self._begun[stream]), now + 1))
            self._begun[stream] = -1

    def draw(self, update: int) -> Imitated | None:
        """Return steps of B windows for a policy update, counted from 0; None where nothing is to be imitated yet."""
        self._episodes = [episode for episode in self._episodes if episode.first >= self._replay.span.start]
        if not self._episodes:
            return None
        shares = np.array([episode.priority for episode in self._episodes]) + LEAST
        chosen = self._generator.choice(len(shares), self._batch, p=shares / shares.sum())
        episodes = [self._episodes[index] for index in chosen.tolist()]
        starts = [self._start(episode) for episode in episodes]
        pairs = list(zip(episodes, starts, strict=True))
        windows = Batch.joined([self._replay.window(e.stream, start, self._length) for e, start in pairs])
        returns, counts = (np.stack(x) for x in zip(*(self._in_window(*pair) for pair in pairs), strict=True))
        seed = tf.constant(fold(self._key, update))
        seen = tf.nest.map_structure(tf.constant, windows.observation)
        features, values = self._look(seen, previous_actions(windows), windows.is_first, seed)
        advantages = np.where(counts, np.maximum(returns - np.reshape(values, returns.shape), 0), 0)
        for episode, better in zip(episodes, advantages.mean(1).tolist(), strict=True):
            episode.priority = better
        actions = windows.action.reshape(-1, *windows.action.shape[2:])
        return Imitated(features, tf.constant(actions), tf.constant(advantages.reshape(-1), tf.float32))

    def save(self) -> dict[str, Any]:
        """Return the state as a tree."""
        places = [(episode.stream, episode.first, episode.stop) for episode in self._episodes]
        return {
            "generator": generator_state(self._generator),
            "begun": self._begun,
            "episodes": np.array(places, np.int64).reshape(-1, 3),
            "priorities": np.array([episode.priority for episode in self._episodes], np.float64),
        }

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave; the store has its state already."""
        self._generator = restore_generator(tree["generator"])
        self._begun = np.array(tree["begun"])
        self._episodes = [
            PromisingEpisode(stream, first, self._returns(stream, range(first, stop)), priority)
            for (stream, first, stop), priority in zip(
                tree["episodes"].tolist(), tree["priorities"].tolist(), strict=True
            )
        ]

    def _keep(self, stream: int, steps: range) -> None:
        """Keep an episode unless nothing came of it; before it is drawn, the critic is taken to expect nothing."""
        returns = self._returns(stream, steps)
        if not returns.any():
            return
        self._episodes.append(PromisingEpisode(stream, steps.start, returns, float(np.abs(returns).mean())))
        if len(self._episodes) > MOST:
            del self._episodes[int(np.argmin([episode.priority for episode in self._episodes]))]

    def _returns(self, stream: int, steps: range) -> npt.NDArray[np.float32]:
        """Return the discounted sum of the rewards after each step of an episode; of none if it is held out."""
        rewards = self._replay.training_rewards(stream, steps)
        learned = np.asarray(transform_rewards(tf.constant(rewards), self._config.reward_transform))
        return returns_to_go(learned, self._config.discount)

    def _start(self, episode: PromisingEpisode) -> int:
        """Draw the first step of a window inside the episode; a shorter episode is at the window's beginning, or at
        its end where the store ends before the window would."""
        start = int(self._generator.integers(episode.first, max(episode.first + 1, episode.stop - self._length + 1)))
        return max(self._replay.span.start, min(start, self._replay.span.stop - self._length))

    def _in_window(
        self, episode: PromisingEpisode, start: int
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Return what followed each step (T,) of a window, and which of them are to be imitated."""
        steps = start + np.arange(self._length)
        # What is done at the last step has no effect.
        counts = (steps >= episode.first) & (steps < episode.stop - 1)
        if start > episode.first:
            counts &= steps >= start + CONTEXT
        return episode.returns[np.clip(steps - episode.first, 0, len(episode.returns) - 1)], counts

    def _values(
        self, seen: Any, actions: tf.Tensor, is_first: tf.Tensor, seed: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Return features and the critic's values of windows (B, T), flattened."""
        states = self._model.observe_sequence(seen, actions, is_first, seed)
        features = self._model.features(tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), states))
        return features, self._agent.act(features, (), 1.0, seed)[2]["value"]


def returns_to_go(rewards: npt.NDArray[np.float32], discount: float) -> npt.NDArray[np.float32]:
    """Return for each step (T,) the discounted sum of the rewards that arrived after it."""
    returns = np.zeros_like(rewards)
    for t in range(len(rewards) - 2, -1, -1):
        returns[t] = rewards[t + 1] + discount * returns[t + 1]
    return returns
