"""A collector takes steps for a learner, with the weights that it was sent last, in a process of its own.

It is called with a name and an argument; what comes back, in the same order:

    ("collect", Wanted)   lists of `Collected`, together one more than wanted: the last is the one that comes next
    ("peek", None)        the `Collected` that comes next
    ("save", when)        the state of the source, as it is "now", or as it was "before" the last collection
    ("load", state)       None
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, suppress
from copy import deepcopy
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from worldmodels.core.child_process import obey_parent
from worldmodels.core.errors import UserError
from worldmodels.core.types import Step
from worldmodels.envs.given import Given, giving
from worldmodels.runtime.config import RunConfig
from worldmodels.runtime.quiet import load_tensorflow

CHUNK = 16
"""Steps that are sent together."""


class Wanted(NamedTuple):
    """The steps that a learner wants."""

    steps: int
    at_random: bool
    outputs: bool
    """Whether all that the policy says at each step is wanted, and not only its actions."""
    weights: dict[str, Any]
    """The trees that model and agent saved, by the names "model" and "agent"; none for random actions."""


class Collected(NamedTuple):
    """A step and what the policy said at it, with NumPy arrays in place of tensors."""

    step: Step
    seen: tuple[Any, ...]
    """Features, extras and memory of the `PolicyOutput`; nothing where they are not wanted."""


def work(pipe: Connection, config: RunConfig, given: Given | None) -> None:
    """Answer, as `Collecting` does, the calls that come through `pipe`; first whether the environments can be saved.

    An error for people is sent in place of an answer, and ends the process.
    """
    obey_parent()
    with suppress(EOFError, BrokenPipeError):
        try:
            with closing(Collecting(config, given)) as collecting:
                pipe.send(collecting.resumes_exactly)
                while (call := pipe.recv()) is not None:
                    for answer in collecting.answers(*call):
                        pipe.send(answer)
        except UserError as error:
            pipe.send(error)


class Collecting:
    """The work of a collector, wherever it runs: it answers calls, one after the other.

    Args:
        config: of the run, with the number of environments and the seed that are this collector's own.
        given: the factory of the environment, where it was given in Python.

    Raises:
        UserError: the environments cannot be made.
    """

    def __init__(self, config: RunConfig, given: Given | None):
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"  # a GPU is the learner's, whose memory TensorFlow takes whole
        load_tensorflow()
        from worldmodels.runtime.build import build_parts
        from worldmodels.runtime.environment import build_env
        from worldmodels.training.step_source import LocalSource

        with giving(config.env.game, given):
            self._env = build_env(config)
        self._parts = build_parts(config, self._env)
        self._source = LocalSource(self._parts, self._env)
        self._before: dict[str, Any] = {}

    @property
    def resumes_exactly(self) -> bool:
        """Whether the environments can be saved."""
        return self._source.resumes_exactly

    def answers(self, name: str, argument: Any) -> Iterator[Any]:
        """Yield what a call is answered with."""
        if name == "collect":
            self._before = deepcopy(self._source.save())
            yield from self._collect(argument)
        elif name == "peek":
            yield _collected(*self._source.peek(), outputs=True)
        elif name == "save":
            yield self._before if argument == "before" else self._source.save()
        else:
            self._source.load(argument)
            yield None

    def close(self) -> None:
        """Close the environments."""
        self._env.close()

    def _collect(self, wanted: Wanted) -> Iterator[list[Collected]]:
        if wanted.weights:
            self._parts.model.load(wanted.weights["model"])
            self._parts.agent.load(wanted.weights["agent"])
        steps = self._source.steps(wanted.steps, wanted.at_random)
        while chunk := [_collected(*one, outputs=wanted.outputs) for one in islice(steps, CHUNK)]:
            yield chunk
        yield [_collected(*self._source.peek(), outputs=wanted.outputs)]


def _collected(step: Step, output: Any, outputs: bool) -> Collected:
    import tensorflow as tf

    if not outputs:
        return Collected(step, ())
    seen = (output.features, output.extras, output.memory)
    return Collected(step, tf.nest.map_structure(lambda tensor: tensor.numpy(), seen))
