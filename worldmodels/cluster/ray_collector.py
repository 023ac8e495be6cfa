"""Runs collectors on a Ray cluster (Moritz et al. 2018)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from worldmodels.cluster.ray_connection import RayError, connect, ray
from worldmodels.config.run_config import RunConfig
from worldmodels.core.errors import UserError
from worldmodels.envs.foreign.given import Given, find_given
from worldmodels.training.collectors.collector_worker import Collecting


class CollectorActor:
    """A Ray actor that collects; Ray places it on a node and runs its calls in order."""

    def __init__(self, config: RunConfig, given: Given | None):
        self._collecting = Collecting(config, given)

    def begin(self) -> Iterator[bool]:
        """Yield whether the environments can be saved."""
        yield self._collecting.resumes_exactly

    def answers(self, name: str, argument: Any) -> Iterator[Any]:
        """Yield the answers of `Collecting`."""
        yield from self._collecting.answers(name, argument)


class RayCollector:
    """A `RemoteCollector` that takes one core of a node of the cluster; see `CollectorProcess`."""

    def __init__(self, number: int, config: RunConfig):
        self._name = f"Collector {number}"
        make: Any = ray.remote(num_cpus=1)(CollectorActor)
        self._actor = make.remote(config, find_given(config.env.game))
        self._answers: deque[Any] = deque([self._actor.begin.options(num_returns="streaming").remote()])

    def ask(self, name: str, argument: Any = None) -> None:
        self._answers.append(self._actor.answers.options(num_returns="streaming").remote(name, argument))

    def answer(self) -> Any:
        try:
            while True:
                with suppress(StopIteration):
                    return ray.get(next(self._answers[0]))
                self._answers.popleft()
        except UserError:
            raise
        except RayError as error:
            last = str(error).strip().splitlines()[-1:]
            raise UserError(
                f"{self._name}, which steps environments for the learner on the cluster, has failed: {''.join(last)} "
                "The same command continues from the last checkpoint."
            ) from error

    def end(self) -> None:
        ray.kill(self._actor)

    def wait_end(self) -> None:
        """Do nothing: it was killed."""


@contextmanager
def on_cluster(address: str | None) -> Iterator[type[RayCollector]]:
    """Connect to a cluster, and yield the class that starts collectors there.

    Raises:
        UserError: there is no such cluster.
    """
    connect(address)
    try:
        yield RayCollector
    finally:
        ray.shutdown()
