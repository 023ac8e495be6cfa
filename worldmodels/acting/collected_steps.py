"""Keeps the returns of episodes as metrics, and gathers the rollouts that the agent learns from.

Gathers the steps of an agent until a rollout is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import PolicyOutput, load_nest, save_nest
from worldmodels.acting.collect import EpisodeTracker
from worldmodels.acting.step_source import StepSource
from worldmodels.agents.api import Rollouts
from worldmodels.core.types import Step
from worldmodels.envs.config import NO_INFO, InfoConfig
from worldmodels.telemetry.logger import MeanMetrics


class RolloutBuffer:
    """Holds the steps since the last rollouts, with the features that the agent saw.

    The features are kept and saved, because a world model that has changed gives others. A saved rollout of images is
    large: the stacks of 16 environments over 200 steps take 150 MB. If possible, checkpoints are written while the
    buffer is empty.
    """

    def __init__(self) -> None:
        self._steps: list[dict[str, np.ndarray]] = []
        self._seen: list[tuple[Any, Any, Any]] = []  # features, extras and memory of each step

    def __len__(self) -> int:
        """Return the number of steps of each environment."""
        return len(self._steps)

    def add(self, step: Step, output: PolicyOutput) -> None:
        """Add a step of all environments and the output of the agent."""
        fields = step._asdict()
        del fields["observation"]
        self._steps.append(fields)
        self._seen.append(_seen(output))

    def truncate(self) -> None:
        """Mark the newest step as the last of its episodes: the environments cannot continue there."""
        if self._steps:
            self._steps[-1]["is_last"] = np.ones_like(self._steps[-1]["is_last"])

    def finish(self, step: Step, output: PolicyOutput) -> Rollouts:
        """Return all steps and one more, and empty the buffer; the next rollouts begin with that step again."""
        self.add(step, output)
        fields = {name: np.stack([one[name] for one in self._steps]) for name in self._steps[0]}
        features, extras = tf.nest.map_structure(_stacked, *[one[:2] for one in self._seen])
        rollouts = Rollouts(
            features=features,
            actions=tf.constant(fields["action"]),
            rewards=tf.constant(fields["reward"], tf.float32),
            continuations=tf.constant(~fields["is_terminal"], tf.float32),
            is_first=tf.constant(fields["is_first"]),
            is_last=tf.constant(fields["is_last"]),
            extras=extras,
            memory=tf.nest.map_structure(tf.convert_to_tensor, self._seen[0][2]),
        )
        self._steps, self._seen = [], []
        return rollouts

    def save(self) -> dict[str, Any]:
        """Return the steps as a tree."""
        return {"steps": list(self._steps), "seen": [save_nest(seen) for seen in self._seen]}

    def load(self, tree: dict[str, Any], like: PolicyOutput | None) -> None:
        """Restore the state that `save` returned.

        Args:
            like: any output of the same agent in the same environments; None if no steps were saved.
        """
        self._steps = list(tree["steps"])
        self._seen = [load_nest(_seen(like), seen) for seen in tree["seen"]] if like else []


def _stacked(*leaves: Any) -> tf.Tensor:
    """Return tensors, or arrays, of several steps as one tensor."""
    if tf.is_tensor(leaves[0]):
        return tf.stack(leaves)
    return tf.constant(np.stack(leaves))  # of a list of uint8 arrays, tf.stack would make int32


def _seen(output: PolicyOutput) -> tuple[Any, Any, Any]:
    return output.features, output.extras, output.memory


class CollectedSteps:
    """Takes the steps of a loop from a source, counts their episodes, and gathers the agent's rollouts.

    Args:
        rollout: steps of each environment in the rollouts of one update; 0 disables gathering.

    Attributes:
        metrics: the returns, lengths and recorded infos of finished episodes; the loop adds its own.
    """

    def __init__(self, source: StepSource, rollout: int, info: InfoConfig = NO_INFO):
        self._source, self._rollout, self.num_envs = source, rollout, source.num_envs
        self.metrics = MeanMetrics()
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

    def steps(self, count: int, at_random: bool) -> Iterator[tuple[Step, PolicyOutput]]:
        """Yield `count` steps of the source; at most `steps_until_full` of the agent, if rollouts are gathered."""
        for step, output in self._source.steps(count, at_random):
            self._add(step, output)
            yield step, output

    def expect(self, count: int, ahead: int = 1) -> None:
        """Announce steps to the source; see `StepSource.expect`."""
        self._source.expect(count, ahead)

    def _add(self, step: Step, output: PolicyOutput) -> None:
        for episode in self._episodes.add(step):
            self.metrics.add({f"episode/{name}": value for name, value in episode.items()})
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
