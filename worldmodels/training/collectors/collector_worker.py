"""Takes steps for a learner in a process of its own, with the weights that the learner sent last.

A call is a name and an argument. Its answers arrive in the order of the calls:

    ("collect", Wanted)   `Collected`s of some steps each; with outputs there is one more step, the next one
    ("peek", None)        the `Collected` of the next step
    ("save", back)        the state of the source before the last `back` collections: 0, 1 or `AHEAD`
    ("load", state)       None

Several calls may be sent at once; each begins when the one before it is done.

Stacks nests of arrays (tuples, named tuples and dictionaries) along a new first axis, and unstacks them.

`tf.nest` takes ten times as long, because it checks and sorts at each call.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from copy import deepcopy
from itertools import islice
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

import numpy as np

from worldmodels.config.run_config import RunConfig
from worldmodels.core.child_process import obey_parent
from worldmodels.core.errors import UserError
from worldmodels.core.types import Step
from worldmodels.envs.foreign.given import Given, giving
from worldmodels.loading.quiet import load_tensorflow


def stack(nests: Sequence[Any]) -> Any:
    """Return one nest of arrays, leading T, from T nests of arrays or tensors with the same structure."""
    first = nests[0]
    if isinstance(first, dict):
        return {key: stack([nest[key] for nest in nests]) for key in first}
    if isinstance(first, tuple):
        return _like(first, [stack(parts) for parts in zip(*nests, strict=True)])
    return np.stack([np.asarray(array) for array in nests])


def unstack(nest: Any, count: int) -> list[Any]:
    """Return the `count` nests from which `stack` made one; their arrays are views of the stacked ones."""
    if isinstance(nest, dict):
        rows = [unstack(part, count) for part in nest.values()]
        return [dict(zip(nest, row, strict=True)) for row in zip(*rows, strict=True)] if nest else [{}] * count
    if isinstance(nest, tuple):
        rows = [unstack(part, count) for part in nest]
        return [_like(nest, row) for row in zip(*rows, strict=True)] if nest else [()] * count
    return list(nest)


def _like(nest: tuple[Any, ...], parts: Sequence[Any]) -> tuple[Any, ...]:
    return type(nest)(*parts) if hasattr(nest, "_fields") else tuple(parts)


CHUNK = 16
"""Steps that are sent together."""
AHEAD = 2
"""The most collections that a learner announces before it has taken the steps of the first."""


class Wanted(NamedTuple):
    """A request for steps."""

    steps: int
    at_random: bool
    outputs: bool
    """Whether the whole output of the policy is sent at each step, and not only its actions."""
    weights: list[np.ndarray]
    """The values of the variables on which the policy's actions depend; empty for random actions."""


class Collected(NamedTuple):
    """T steps and the outputs of the policy, as NumPy arrays, all leading (T, N)."""

    step: Step
    seen: tuple[Any, ...]
    """Features, extras and memory of the `PolicyOutput`; empty without outputs."""


def work(pipe: Connection, config: RunConfig, given: Given | None) -> None:
    """Answer the calls of a pipe by `Collecting`; the first answer is whether the environments can be saved.

    A UserError is sent in place of an answer, and ends the process.
    """
    obey_parent()
    calls: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_read, args=(pipe, calls), daemon=True).start()
    with suppress(BrokenPipeError):
        try:
            with closing(Collecting(config, given)) as collecting:
                pipe.send(collecting.resumes_exactly)
                while (call := calls.get()) is not None:
                    for answer in collecting.answers(*call):
                        pipe.send(answer)
        except UserError as error:
            pipe.send(error)


def _read(pipe: Connection, calls: SimpleQueue[Any]) -> None:
    """Read calls while others are answered: the pipe holds too little for weights, and the learner must not wait."""
    with suppress(EOFError, OSError):
        while (call := pipe.recv()) is not None:
            calls.put(call)
    calls.put(None)


class Collecting:
    """Answers the calls of a learner, one after the other.

    Args:
        config: the configuration of this collector, with its own number of environments and its own seed.
        given: the factory of the environment, if it was given in Python.

    Raises:
        UserError: the environments cannot be made.
    """

    def __init__(self, config: RunConfig, given: Given | None):
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"  # a GPU is the learner's
        load_tensorflow(threads=1)
        from worldmodels.acting.build import build_parts
        from worldmodels.acting.step_source import LocalSource
        from worldmodels.config.environment import build_env

        with giving(config.env.game, given):
            self._env = build_env(config)
        self._source = LocalSource(build_parts(config, self._env), self._env)
        self._before: deque[dict[str, Any]] = deque(maxlen=AHEAD)

    @property
    def resumes_exactly(self) -> bool:
        """Whether the environments can be saved."""
        return self._source.resumes_exactly

    def answers(self, name: str, argument: Any) -> Iterator[Any]:
        """Yield the answers to a call."""
        if name == "collect":
            self._before.append(deepcopy(self._source.save()))
            yield from self._collect(argument)
        elif name == "peek":
            yield _together([self._source.peek()], outputs=True)
        elif name == "save":
            yield self._before[-argument] if argument else self._source.save()
        else:
            self._source.load(argument)
            yield None

    def close(self) -> None:
        """Close the environments."""
        self._env.close()

    def _collect(self, wanted: Wanted) -> Iterator[Collected]:
        if wanted.weights:
            self._source.take_weights(wanted.weights)
        steps = self._source.steps(wanted.steps, wanted.at_random)
        for left in range(wanted.steps, 0, -CHUNK):
            chunk = list(islice(steps, CHUNK))
            if wanted.outputs and left <= CHUNK:
                chunk.append(self._source.peek())
            yield _together(chunk, wanted.outputs)


def _together(steps: list[tuple[Step, Any]], outputs: bool) -> Collected:
    collected: Collected = stack(
        [Collected(step, (seen.features, seen.extras, seen.memory) if outputs else ()) for step, seen in steps]
    )
    return collected
