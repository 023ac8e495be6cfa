"""Configuration of the next-frame models. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DeterministicConfig:
    """The next frame from the last ones and the action; the defaults are SimPLe's figures."""

    kind: str = "deterministic"


@dataclass(frozen=True)
class StochasticDiscreteConfig:
    """The same with a bottleneck of discrete bits and recurrent memory; the defaults are SimPLe's figures."""

    kind: str = "stochastic_discrete"
