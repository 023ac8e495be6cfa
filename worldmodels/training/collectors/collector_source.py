"""Gives a loop the steps that other processes collect while the learner learns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import PolicyOutput
from worldmodels.acting.build import Parts
from worldmodels.acting.step_source import collecting_policy
from worldmodels.config.run_config import RunConfig
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Step
from worldmodels.models.variables import read_values
from worldmodels.training.collectors.collector_worker import AHEAD, Collected, Wanted, unstack


class RemoteCollector(Protocol):
    """A `collector_worker.Collecting` elsewhere; its first answer is whether its environments can be saved."""

    def ask(self, name: str, argument: Any = None) -> None:
        """Send a call; its answers arrive later."""

    def answer(self) -> Any:
        """Wait for the next answer, and return it.

        Raises:
            UserError: the collector, which the text names, has failed or died.
        """

    def end(self) -> None:
        """Send the signal to end after the calls before it."""

    def wait_end(self) -> None:
        """Wait for its end, and kill it after some seconds."""


StartCollector: TypeAlias = Callable[[int, RunConfig], RemoteCollector]
"""Starts a collector with its number and its configuration."""


class Collection:
    """Steps that were requested, and arrive in chunks."""

    def __init__(self, wanted: Wanted):
        self.wanted = wanted
        self.left = wanted.steps
        """The number of steps that the loop has not taken."""
        self.coming = wanted.steps + wanted.outputs
        """The number of steps that have not arrived; with outputs one more, for `peek`."""
        self.items: deque[tuple[Step, PolicyOutput]] = deque()

    def add(self, shares: list[Collected]) -> None:
        """Add the answers of the collectors: the same steps, each for its share of the environments."""
        arrived = _items(_side_by_side(shares))
        self.items.extend(arrived)
        self.coming -= len(arrived)


class CollectorSource:
    """A `StepSource` of several collectors, each of which has an equal share of the environments.

    Announced steps are collected while the learner learns, by the policy at the time of the announcement. The numbers
    follow from the seed alone, however fast each process is, and a continued run has the same numbers.

    Args:
        outputs: whether the whole output of the policy is collected at the agent's steps, and not only its actions.
        start: starts each collector.
    """

    def __init__(self, parts: Parts, collectors: int, outputs: bool, start: StartCollector):
        self._outputs = outputs
        self.num_envs = parts.config.env.num_envs
        self._collections: deque[Collection] = deque()  # as many as were asked for and are not taken whole
        self._collectors: list[RemoteCollector] = []
        try:
            for number in range(collectors):
                self._collectors.append(start(number, share_of(parts.config, number, collectors)))
            # While they start: the same graph as theirs, of which only the variables are wanted.
            self._acting = collecting_policy(parts, self.num_envs // collectors).variables
            self.resumes_exactly = all([collector.answer() for collector in self._collectors])
        except BaseException:
            self.close()
            raise

    def steps(self, count: int, at_random: bool) -> Iterator[tuple[Step, PolicyOutput]]:
        for taken in range(count):
            self._forget_taken()
            if not self._collections:
                self._want(count - taken, at_random)
            yield self._next()

    def expect(self, count: int, ahead: int = 1) -> None:
        self._forget_taken()
        if count and len(self._collections) < min(ahead, AHEAD):
            self._want(count, at_random=False)

    def peek(self) -> tuple[Step, PolicyOutput]:
        first = self._collections[0] if self._collections else None
        if first is None or not (first.left or first.wanted.outputs):
            return _items(_side_by_side(self._call("peek")))[0]
        while not first.items:
            self._receive()
        return first.items[0]

    def save(self) -> dict[str, Any]:
        """Return the state before the announced steps, and the weights of their policies."""
        self._receive_all()
        expected = [one for one in self._collections if one.left]
        states = self._call("save", len(expected))
        return {
            "collectors": {f"{i:04d}": state for i, state in enumerate(states)},
            "expected": [{**one.wanted._asdict(), "left": one.left} for one in expected],
        }

    def load(self, tree: dict[str, Any]) -> None:
        self._receive_all()
        for collector, (_, state) in zip(self._collectors, sorted(tree["collectors"].items()), strict=True):
            collector.ask("load", state)
        for collector in self._collectors:
            collector.answer()
        self._collections.clear()
        for saved in tree["expected"]:
            expected = dict(saved)
            left, wanted = expected.pop("left"), Wanted(**expected)
            if not self.resumes_exactly:  # new episodes have begun, and none of their steps was taken before
                wanted = wanted._replace(steps=left)
            self._send(wanted)
            for _ in range(wanted.steps - left):  # of the first one alone
                self._next()

    def close(self) -> None:
        """End the collectors, and kill those that do not end."""
        for collector in self._collectors:
            collector.end()
        for collector in self._collectors:
            collector.wait_end()

    def _want(self, count: int, at_random: bool) -> None:
        weights = [] if at_random else read_values(self._acting)
        self._send(Wanted(count, at_random, self._outputs and not at_random, weights))

    def _send(self, wanted: Wanted) -> None:
        self._collections.append(Collection(wanted))
        for collector in self._collectors:
            collector.ask("collect", wanted)

    def _next(self) -> tuple[Step, PolicyOutput]:
        first = self._collections[0]
        while not first.items:
            self._receive()
        first.left -= 1
        return first.items.popleft()

    def _forget_taken(self) -> None:
        """Drop collections whose steps were all taken."""
        while self._collections and not self._collections[0].left:
            self._collections.popleft()

    def _receive_all(self) -> None:
        while any(one.coming for one in self._collections):
            self._receive()

    def _receive(self) -> None:
        first = next(one for one in self._collections if one.coming)
        first.add([collector.answer() for collector in self._collectors])

    def _call(self, name: str, argument: Any = None) -> list[Any]:
        for collector in self._collectors:
            collector.ask(name, argument)
        return [collector.answer() for collector in self._collectors]


def share_of(config: RunConfig, number: int, collectors: int) -> RunConfig:
    """Return the configuration of one collector: its share of the environments and one device.

    Each collector but the first has a seed of its own.
    """
    share = replace(config.env, num_envs=config.env.num_envs // collectors)
    seed = Streams(config.seed).integer(f"collector {number}") if number else config.seed
    return replace(config, env=share, seed=seed, devices=1)


def _side_by_side(shares: list[Collected]) -> Collected:
    """Return the environments of all collectors as one."""
    if len(shares) == 1:
        return shares[0]
    joined: Collected = tf.nest.map_structure(lambda *arrays: np.concatenate(arrays, axis=1), *shares)
    return joined


def _items(collected: Collected) -> list[tuple[Step, PolicyOutput]]:
    """Return steps one by one, with NumPy arrays in place of tensors."""
    rows: list[Collected] = unstack(collected, len(collected.step.reward))
    return [(step, PolicyOutput(step.action, *seen)) for step, seen in rows]
