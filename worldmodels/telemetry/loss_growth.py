"""Detects losses that grow a thousandfold, and updates that change a policy so much that it unlearns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

FACTOR = 1_000
FLOOR = 1.0
"""A smaller loss counts as this large: losses near 0 grow a thousandfold with new data, and a policy's cross 0."""


class Growth(NamedTuple):
    """A loss that grew: its smallest mean so far, and the mean now."""

    name: str
    smallest: float
    now: float


class LossGrowth:
    """Keeps the smallest absolute mean of each loss, and reports each loss once that outgrows it."""

    def __init__(self) -> None:
        self._smallest: dict[str, float] = {}
        self._told: dict[str, bool] = {}

    def update(self, means: Mapping[str, float]) -> list[Growth]:
        """Add the means of metrics; names that end in `_loss` or `/loss` are losses.

        Returns:
            The losses that are more than `FACTOR` times their smallest mean, for the first time.
        """
        grown = []
        for name, now in means.items():
            if not name.endswith(("/loss", "_loss")) or not math.isfinite(now):
                continue
            smallest = min(self._smallest.get(name, math.inf), abs(now))
            self._smallest[name] = smallest
            if abs(now) > FACTOR * max(smallest, FLOOR) and name not in self._told:
                self._told[name] = True
                grown.append(Growth(name, smallest, now))
        return grown

    def save(self) -> dict[str, Any]:
        return {"smallest": dict(self._smallest), "told": dict(self._told)}

    def load(self, tree: Mapping[str, Any]) -> None:
        self._smallest = {name: float(smallest) for name, smallest in tree.get("smallest", {}).items()}
        self._told = {name: bool(told) for name, told in tree.get("told", {}).items()}


def growth_warning(grown: list[Growth], learning_rates: Mapping[str, float | str]) -> str:
    """Return the warning about losses that grew; `learning_rates` has the keys of the configuration."""
    losses = ", ".join(f"{growth.name} from {growth.smallest:.4g} to {growth.now:.4g}" for growth in grown)
    shown = {key: rate if isinstance(rate, str) else f"{rate:g}" for key, rate in learning_rates.items()}
    rates = " or ".join(f"{key} ({rate})" for key, rate in shown.items())
    advice = f"lower {rates}" if rates else "lower the learning rate"
    return f"Losses grew more than a thousandfold: {losses}. Training may diverge; {advice}, in a new run."


MOST_KL = 0.1
"""Nats between the policies before and after an update; nine runs that learn CoinRun stay below 0.04."""
MOST_ENTROPY_RISE = 0.5
"""Nats above the smallest entropy: a policy that learns becomes surer, and one that unlearns returns to chance. In nine
runs that learn CoinRun the entropy rises by up to 0.4 for a while."""


class PolicyHarm:
    """Reports once that updates harm an on-policy agent, by the KL of an update or by an entropy that rises."""

    def __init__(self) -> None:
        self._smallest, self._told = math.inf, False

    def update(self, means: Mapping[str, float]) -> str | None:
        """Add the means of metrics, and return a warning the first time that they show harm."""
        kl = means.get("policy/approximate_kl", means.get("policy/kl"))
        if kl is None or self._told:
            return None
        entropy = means.get("policy/entropy", math.inf)
        self._smallest = min(self._smallest, entropy)
        found = []
        if kl > MOST_KL:
            found.append(f"An update changes the policy by a KL of {kl:.2g} nats, more than {MOST_KL}.")
        if entropy > self._smallest + MOST_ENTROPY_RISE:
            found.append(f"The entropy of the policy rose from {self._smallest:.2f} to {entropy:.2f} nats.")
        self._told = bool(found)
        advice = "The agent may unlearn; fewer steps an update (agent.epochs, a larger agent.minibatch) or a lower "
        return " ".join([*found, advice + "learning rate help, in a new run."]) if found else None

    def save(self) -> dict[str, Any]:
        return {"smallest": self._smallest, "told": self._told}

    def load(self, tree: Mapping[str, Any]) -> None:
        self._smallest, self._told = float(tree.get("smallest", math.inf)), bool(tree.get("told", False))
