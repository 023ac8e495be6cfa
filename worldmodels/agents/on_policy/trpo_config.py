"""Configuration of TRPO. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass

from worldmodels.agents.on_policy.config import OnPolicyConfig
from worldmodels.core.configuration.ranges import AboveZero, BelowOne, NonNegative, Size


@dataclass(frozen=True)
class TRPOConfig(OnPolicyConfig):
    """Trust region policy optimisation (Schulman et al. 2015), and without its line search the natural policy gradient
    (Kakade 2001), in imagination and in the real world. The defaults are Spinning Up's."""

    kind: str = "trpo"
    kl_limit: AboveZero = 0.01
    """KL of the policy from the one before, in nats, that a step may cost (`delta` in Spinning Up)."""
    damping: NonNegative = 0.1
    """Multiple of the identity that is added to the Fisher information matrix, so that directions without information
    are not followed for ever (`damping_coeff` in Spinning Up)."""
    conjugate_gradient_steps: Size = 10
    """Iterations in which the natural gradient is solved for (`cg_iters` in Spinning Up)."""
    line_search: bool = True
    """Whether a step is shortened until it costs less than the limit and gains something; otherwise this is the natural
    policy gradient, whose step is as long as a quadratic estimate of its cost says."""
    backtrack_steps: Size = 10
    """Lengths that are tried, after which there is no step (`backtrack_iters` in Spinning Up)."""
    backtrack_factor: BelowOne = 0.8
    """Share of a length that is tried next (`backtrack_coeff` in Spinning Up)."""
