"""A process that collects steps for a learner, with the weights that it was sent last, until it is asked no more.

A call is a name and an argument; what comes back, in the same order:

    ("collect", Wanted)   lists of `Collected`, together one more than wanted: the last is the one that comes next
    ("peek", None)        the `Collected` that comes next
    ("save", when)        the state of the source, as it is "now", or as it was "before" the last collection
    ("load", state)       None
    None                  nothing: the process ends
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, suppress
from copy import deepcopy
from itertools import islice
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, NamedTuple

from worldmodels.core.child_process import obey_parent
from worldmodels.core.errors import UserError
from worldmodels.core.types import Step
from worldmodels.envs.given import Given, giving
from worldmodels.runtime.config import RunConfig
from worldmodels.runtime.quiet import load_tensorflow

if TYPE_CHECKING:
    from worldmodels.runtime.build import Parts
    from worldmodels.training.step_source import LocalSource

CHUNK = 16
"""Steps that are sent together."""


class Wanted(NamedTuple):
    """The steps that a learner wants."""

    steps: int
    at_random: bool
    outputs: bool
    """Whether all that the policy says at each step is wanted, and not only its actions."""
    weights: dict[str, Any]
    """The trees that model and agent saved, by the names "model" and "agent"."""


class Collected(NamedTuple):
    """A step and what the policy said at it, with NumPy arrays in place of tensors."""

    step: Step
    seen: tuple[Any, ...]
    """Features, extras and memory of the `PolicyOutput`; nothing where they are not wanted."""


def work(pipe: Connection, config: RunConfig, given: Given | None) -> None:
    """Answer the calls that come through `pipe`; first whether the environments can be saved.

    An error for people is sent in place of an answer, and ends the process.

    Args:
        config: of the run, with the number of environments and the seed that are this process's own.
        given: the factory of the environment, where it was given in Python.
    """
    obey_parent()
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"  # a GPU is the learner's, whose memory TensorFlow takes whole
    load_tensorflow()
    with suppress(EOFError, BrokenPipeError), giving(config.env.game, given):
        try:
            _answer_calls(pipe, config)
        except UserError as error:
            pipe.send(error)


def _answer_calls(pipe: Connection, config: RunConfig) -> None:
    from worldmodels.runtime.build import build_parts
    from worldmodels.runtime.environment import build_env
    from worldmodels.training.step_source import LocalSource

    with closing(build_env(config)) as env:
        parts = build_parts(config, env)
        source = LocalSource(parts, env)
        pipe.send(source.resumes_exactly)
        before: dict[str, Any] = {}
        while (call := pipe.recv()) is not None:
            name, argument = call
            if name == "collect":
                before = deepcopy(source.save())
                for chunk in _collect(parts, source, argument):
                    pipe.send(chunk)
            elif name == "peek":
                pipe.send(_collected(*source.peek(), outputs=True))
            elif name == "save":
                pipe.send(before if argument == "before" else source.save())
            else:
                source.load(argument)
                pipe.send(None)


def _collect(parts: Parts, source: LocalSource, wanted: Wanted) -> Iterator[list[Collected]]:
    parts.model.load(wanted.weights["model"])
    parts.agent.load(wanted.weights["agent"])
    steps = source.steps(wanted.steps, wanted.at_random)
    while chunk := [_collected(*one, outputs=wanted.outputs) for one in islice(steps, CHUNK)]:
        yield chunk
    yield [_collected(*source.peek(), outputs=wanted.outputs)]


def _collected(step: Step, output: Any, outputs: bool) -> Collected:
    import tensorflow as tf

    if not outputs:
        return Collected(step, ())
    seen = (output.features, output.extras, output.memory)
    return Collected(step, tf.nest.map_structure(lambda tensor: tensor.numpy(), seen))
