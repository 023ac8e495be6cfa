"""Keeps the returns of episodes as metrics, and gathers the rollouts that the agent learns from."""

from __future__ import annotations

from typing import Any

from worldmodels.acting.actor import PolicyOutput
from worldmodels.acting.collect import EpisodeTracker
from worldmodels.acting.rollout_buffer import RolloutBuffer
from worldmodels.acting.step_source import StepSource
from worldmodels.agents.api import Rollouts
from worldmodels.core.types import Step
from worldmodels.envs.config import NO_INFO, InfoConfig
from worldmodels.telemetry.logger import MeanMetrics


class CollectedSteps:
    """Counts the episodes of the steps that a loop takes from a source, and gathers the agent's rollouts.

    Args:
        rollout: steps of each environment in the rollouts of one update; 0 disables gathering.
        metrics: takes the returns, lengths and recorded infos of finished episodes.
    """

    def __init__(self, source: StepSource, rollout: int, metrics: MeanMetrics, info: InfoConfig = NO_INFO):
        self._source, self._rollout, self._metrics = source, rollout, metrics
        self._episodes = EpisodeTracker(source.num_envs, info)
        self._buffer = RolloutBuffer()

    @property
    def steps_until_full(self) -> int:
        """The steps of each environment until the next rollouts are complete."""
        return self._rollout - len(self._buffer)

    @property
    def holds_partial_rollout(self) -> bool:
        """Whether the buffer holds steps, which would make a checkpoint large."""
        return len(self._buffer) > 0

    def add(self, step: Step, output: PolicyOutput) -> None:
        """Add a step of the source. If rollouts are gathered, add at most `steps_until_full` steps of the agent."""
        for episode in self._episodes.add(step):
            self._metrics.add({f"episode/{name}": value for name, value in episode.items()})
        if self._rollout and output.features is not None:
            self._buffer.add(step, output)

    def take_rollouts(self) -> Rollouts | None:
        """Return the steps since the last rollouts if they are complete, else None.

        The last step is the source's next one, with the output of the agent as it is now. After an update the agent
        computes that output again.
        """
        if not self._rollout or self.steps_until_full:
            return None
        return self._buffer.finish(*self._source.peek())

    def save(self) -> dict[str, Any]:
        """Return the state of source, episodes and buffer as a tree."""
        return {**self._source.save(), "episodes": self._episodes.save(), "buffer": self._buffer.save()}

    def load(self, tree: dict[str, Any]) -> None:
        """Restore the state that `save` returned."""
        self._source.load(tree)
        self._episodes.load(tree["episodes"])
        buffer = tree["buffer"]
        self._buffer.load(buffer, self._source.peek()[1] if buffer["steps"] else None)
        if not self._source.resumes_exactly:
            self._buffer.truncate()
