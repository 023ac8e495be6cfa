"""The amount of work in a run of the model-based loop: turns, and the phases of each."""

from __future__ import annotations

from typing import NamedTuple

from worldmodels.runtime.config import ModelBasedConfig

PHASES = ("collect", "fit", "improve")
READABLE = 100
"""A phase of fewer steps or updates is over before one has read of it."""


class Position(NamedTuple):
    """The place in a run that comes next."""

    turn: int
    """Number of turns that are done."""
    phase: str
    """The phase that continues."""
    left: int
    """The amount left of it: steps of each environment for `collect`, otherwise updates."""


class TrainingPlan:
    """The order of the phases and their amounts, which follow from the configuration alone."""

    def __init__(self, config: ModelBasedConfig, num_envs: int):
        self._config, self._num_envs = config, num_envs
        self._collect = -(-config.collect // num_envs)
        self._prefill = 0 if config.initial_replay else -(-config.prefill // num_envs)
        if self._collect:
            pieces = max(1, -(-self._prefill // self._collect))
            self._prefill = 0 if config.initial_replay else pieces * self._collect

    @property
    def turns(self) -> int:
        """The number of turns of the whole run."""
        if not self._collect:
            return self._config.turns
        later = self._config.steps - self._prefill * self._num_envs
        return 1 + max(0, -(-later // (self._collect * self._num_envs)))

    def amount(self, turn: int, phase: str) -> int:
        """Return the amount of work in a phase, in the unit of `Position.left`."""
        config = self._config
        if phase == "collect":
            return self._collect if turn else self._prefill
        if phase == "fit":
            return _scaled(config.fit, config.fit_factors, turn) + (0 if turn else config.pretrain)
        return _scaled(config.improve, config.improve_factors, turn)

    def start(self, turn: int) -> Position:
        """Return the first phase of a turn that has any work."""
        return self._first(turn, PHASES) or Position(turn, PHASES[0], 0)

    def after(self, position: Position, done: int) -> Position:
        """Return the position when `done` more of the phase is done."""
        if position.left > done:
            return position._replace(left=position.left - done)
        later = PHASES[PHASES.index(position.phase) + 1 :]
        return self._first(position.turn, later) or self.start(position.turn + 1)

    def describe(self, position: Position) -> str:
        """Describe the position, with steps counted over all environments; empty where it changes too fast."""
        turn, phase, left = position
        total, unit = self.amount(turn, phase), self._num_envs if phase == "collect" else 1
        if turn >= self.turns or total < READABLE:
            return ""
        return f"turn {turn + 1:,} of {self.turns:,} · {phase} {(total - left) * unit:,} of {total * unit:,}"

    def remaining(self, position: Position) -> dict[str, int]:
        """Return the amount left of the run by phase."""
        left = {phase: self._total(phase, position.turn + 1) for phase in PHASES}
        if position.turn < self.turns:
            left[position.phase] += position.left
            for phase in PHASES[PHASES.index(position.phase) + 1 :]:
                left[phase] += self.amount(position.turn, phase)
        return left

    def _first(self, turn: int, phases: tuple[str, ...]) -> Position | None:
        return next((Position(turn, phase, n) for phase in phases if (n := self.amount(turn, phase))), None)

    def _total(self, phase: str, first: int) -> int:
        """Sum up a phase over all turns from `first` on; there may be millions, of which only the first are special."""
        special = max(len(self._config.fit_factors), len(self._config.improve_factors), 1)
        alike = max(0, self.turns - max(first, special))
        return alike * self.amount(special, phase) + sum(
            self.amount(turn, phase) for turn in range(first, min(special, self.turns))
        )


def _scaled(base: int, factors: tuple[float, ...], turn: int) -> int:
    return round(base * factors[turn]) if turn < len(factors) else base
