"""The real world as a loop lives in it: acting, counting episodes, gathering what the agent learns from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldmodels.agents.api import Experience
from worldmodels.core.types import Step
from worldmodels.envs import VectorEnv
from worldmodels.runtime.actor import ModelActor, RandomActor
from worldmodels.runtime.build import Parts
from worldmodels.runtime.collect import Collector, EpisodeTracker
from worldmodels.runtime.experience import ExperienceRecorder
from worldmodels.telemetry.logger import Means

PIECE = 16
"""Steps of the vector environment after which a loop looks up: it logs, saves, or stops where it is asked to."""


class Reality:
    """Whole steps of all environments, by uniformly random actions or by the agent.

    Args:
        rollout: steps of each environment in one experience of the agent's; 0: none are gathered.
        metrics: takes the returns and lengths of finished episodes.
    """

    def __init__(self, parts: Parts, env: VectorEnv, rollout: int, metrics: Means):
        streams = parts.streams
        self._rollout, self._metrics, self._num_envs = rollout, metrics, env.num_envs
        self._collector = Collector(env, streams.integer("env"))
        self._episodes = EpisodeTracker(env.num_envs)
        self._random = RandomActor(parts.model.spec.num_actions, streams.generator("prefill"))
        self._actor = ModelActor(parts.model, parts.agent, env.num_envs, streams.key("act"))
        self._recorder = ExperienceRecorder()

    @property
    def until_full(self) -> int:
        """Steps of each environment until the next experience is whole."""
        return self._rollout - len(self._recorder)

    @property
    def holds_experience(self) -> bool:
        """Whether a part of an experience waits for the rest; saved now, it would take much room."""
        return len(self._recorder) > 0

    def play(self, steps: int, at_random: bool = False) -> Iterator[Step]:
        """So many steps of each environment; of the agent's, never more than `until_full` if it gathers any."""
        actor = self._random if at_random else self._actor
        for step in self._collector.collect(actor, steps * self._num_envs):
            for episode in self._episodes.add(step):
                self._metrics.add({f"episode/{name}": value for name, value in episode.items()})
            if self._rollout and not at_random and self._actor.moment:
                self._recorder.add(step, self._actor.moment)
            yield step

    def experience(self) -> Experience | None:
        """What was lived through since the last one, once it is whole.

        It ends with the observation that waits, seen as the agent is now; after it has learned it looks anew.
        """
        if not self._rollout or self.until_full:
            return None
        return self._recorder.finish(*self._peek())

    def save(self) -> dict[str, Any]:
        return {name: part.save() for name, part in self._saveables().items()} | {"experience": self._recorder.save()}

    def load(self, tree: dict[str, Any]) -> None:
        for name, part in self._saveables().items():
            part.load(tree[name])
        self._recorder.load(tree["experience"], self._peek()[1])
        if not self._collector.resumes_exactly:
            self._recorder.cut()

    def _peek(self) -> tuple[Step, Any]:
        arrived = self._collector.arrived
        action, moment = self._actor.peek(arrived["observation"], arrived["is_first"])
        return Step(**arrived, action=action), moment

    def _saveables(self) -> dict[str, Any]:
        return {
            "collector": self._collector,
            "episodes": self._episodes,
            "random_actor": self._random,
            "actor": self._actor,
        }
