"""Real steps that others collect while the learner learns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import numpy as np
import tensorflow as tf

from worldmodels.core.seeding import Streams
from worldmodels.core.types import Step
from worldmodels.envs.given import Given
from worldmodels.runtime.actor import PolicyOutput
from worldmodels.runtime.build import Parts
from worldmodels.runtime.config import RunConfig
from worldmodels.training.collector_worker import Wanted


class RemoteCollector(Protocol):
    """A `collector_worker.Collecting` somewhere else. Its first answer is whether its environments can be saved."""

    def ask(self, name: str, argument: Any = None) -> None:
        """Send a call, whose answers will arrive later."""

    def answer(self) -> Any:
        """Wait for the next answer, and return it.

        Raises:
            UserError: the collector has failed or died; the text names it.
        """

    def end(self) -> None:
        """Ask it to end as soon as it is done."""

    def wait_end(self) -> None:
        """Wait until it has ended, and kill it where that takes long."""


StartCollector: TypeAlias = Callable[[int, RunConfig, Given | None], RemoteCollector]
"""Starts the collector of a number with a configuration of its own and the factory that was given in Python, if any."""


class CollectorSource:
    """A `StepSource` of several collectors, each of which has an equal share of the environments.

    The steps that are expected next are collected while the learner learns, by the policy as it was before. How fast
    anybody is changes nothing: the numbers follow from the seed alone, and those of a run that continues are the same.

    Args:
        outputs: whether all that the policy says at each of the agent's steps is wanted, and not only its actions.
        start: starts each collector.
        given: the factory of the environment, where it was given in Python.
    """

    def __init__(self, parts: Parts, collectors: int, outputs: bool, start: StartCollector, given: Given | None = None):
        self._parts, self._outputs = parts, outputs
        self.num_envs = parts.config.env.num_envs
        self._items: deque[tuple[Step, PolicyOutput]] = deque()  # what has arrived, and then `_coming` more
        self._coming = 0
        self._wanted: Wanted | None = None
        self._collectors: list[RemoteCollector] = []
        try:
            for number in range(collectors):
                self._collectors.append(start(number, share_of(parts.config, number, collectors), given))
            self.resumes_exactly = all([collector.answer() for collector in self._collectors])
        except BaseException:
            self.close()
            raise

    def steps(self, count: int, at_random: bool) -> Iterator[tuple[Step, PolicyOutput]]:
        for taken in range(count):
            if not self._left:
                self._want(count - taken, at_random)
            yield self._next()

    def expect(self, count: int) -> None:
        self._want(count, at_random=False)

    def peek(self) -> tuple[Step, PolicyOutput]:
        if self._wanted is None:
            return _joined(self._call("peek"))
        if not self._items:
            self._receive()
        return self._items[0]

    def save(self) -> dict[str, Any]:
        """Return the state before the steps that are expected, and with which weights they are collected."""
        wanted, left = self._wanted, self._left
        self._receive_all()
        states = self._call("save", "before" if left else "now")
        expected = {**wanted._asdict(), "left": left} if wanted and left else None
        return {"collectors": {f"{i:04d}": state for i, state in enumerate(states)}, "expected": expected}

    def load(self, tree: dict[str, Any]) -> None:
        self._receive_all()
        for collector, (_, state) in zip(self._collectors, sorted(tree["collectors"].items()), strict=True):
            collector.ask("load", state)
        for collector in self._collectors:
            collector.answer()
        self._items.clear()
        self._wanted = None
        if tree["expected"] is None:
            return
        expected = dict(tree["expected"])
        left, wanted = expected.pop("left"), Wanted(**expected)
        if not self.resumes_exactly:  # new episodes have begun, and none of their steps was taken before
            wanted = wanted._replace(steps=left)
        self._send(wanted)
        for _ in range(wanted.steps - left):
            self._next()

    def close(self) -> None:
        """End the collectors, and kill those that do not."""
        for collector in self._collectors:
            collector.end()
        for collector in self._collectors:
            collector.wait_end()

    @property
    def _left(self) -> int:
        """The steps that were wanted and not taken yet; one more arrives, which is only looked at."""
        return max(0, len(self._items) + self._coming - 1)

    def _want(self, count: int, at_random: bool) -> None:
        weights = {} if at_random else {"model": self._parts.model.save(), "agent": self._parts.agent.save()}
        self._send(Wanted(count, at_random, self._outputs and not at_random, weights))

    def _send(self, wanted: Wanted) -> None:
        self._receive_all()
        self._items.clear()
        self._wanted, self._coming = wanted, wanted.steps + 1
        for collector in self._collectors:
            collector.ask("collect", wanted)

    def _next(self) -> tuple[Step, PolicyOutput]:
        if not self._items:
            self._receive()
        return self._items.popleft()

    def _receive_all(self) -> None:
        while self._coming:
            self._receive()

    def _receive(self) -> None:
        chunks = [collector.answer() for collector in self._collectors]
        self._items.extend(_joined(shares) for shares in zip(*chunks, strict=True))
        self._coming -= len(chunks[0])

    def _call(self, name: str, argument: Any = None) -> list[Any]:
        for collector in self._collectors:
            collector.ask(name, argument)
        return [collector.answer() for collector in self._collectors]


def share_of(config: RunConfig, number: int, collectors: int) -> RunConfig:
    """Return the configuration as one of several collectors sees it: its share of the environments, one device, and for
    all but the first a seed of its own."""
    share = replace(config.env, num_envs=config.env.num_envs // collectors)
    seed = Streams(config.seed).integer(f"collector {number}") if number else config.seed
    return replace(config, env=share, seed=seed, devices=1)


def _joined(shares: Any) -> tuple[Step, PolicyOutput]:
    """Return the environments of all collectors as one step, with NumPy arrays in place of tensors."""
    step, seen = shares[0]
    if len(shares) > 1:
        step, seen = tf.nest.map_structure(lambda *arrays: np.concatenate(arrays), *shares)
    return step, PolicyOutput(step.action, *seen)
