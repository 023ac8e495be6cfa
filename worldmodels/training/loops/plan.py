"""The plan of a model-based run: its turns, and the amount of work in each phase."""

from __future__ import annotations

from typing import NamedTuple

from worldmodels.config.training_config import ModelBasedConfig

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
    extra: int = 0
    """Steps of each environment by which the prefill was prolonged, in search of events."""


class TrainingPlan:
    """The order of the phases and their amounts, which follow from the configuration, and from how far the prefill was
    prolonged."""

    def __init__(self, config: ModelBasedConfig, num_envs: int):
        self._config, self._num_envs = config, num_envs
        self._collect = -(-config.collect // num_envs)
        self._prefill = 0 if config.initial_replay else -(-config.prefill // num_envs)
        if self._collect:
            pieces = max(1, -(-self._prefill // self._collect))
            self._prefill = 0 if config.initial_replay else pieces * self._collect

    def turns(self, extra: int = 0) -> int:
        """Return the number of turns of the whole run, whose prefill was prolonged by `extra`."""
        if not self._collect:
            return self._config.turns
        later = self._config.steps - (self._prefill + extra) * self._num_envs
        return 1 + max(0, -(-later // (self._collect * self._num_envs)))

    def ends_at(self, position: Position) -> bool:
        """Return whether nothing is left to do."""
        return position.turn >= self.turns(position.extra)

    def amount(self, turn: int, phase: str, extra: int = 0) -> int:
        """Return the amount of work in a phase, in the unit of `Position.left`."""
        config = self._config
        if phase == "collect":
            return self._collect if turn else self._prefill + extra
        if phase == "fit":
            return _scaled(config.fit, config.fit_factors, turn) + (0 if turn else config.pretrain)
        return config.improve

    def start(self, turn: int, extra: int = 0) -> Position:
        """Return the first phase of a turn that has any work."""
        return self._first(turn, PHASES, extra) or Position(turn, PHASES[0], 0, extra)

    def expected(self, position: Position) -> int:
        """Return how many steps of each environment the next turn collects, which may begin before this one is over.

        None after the first turn, in which the policy learns for the first time.
        """
        if position.turn == 0 or self.ends_at(self.start(position.turn + 1, position.extra)):
            return 0
        return self.amount(position.turn + 1, "collect", position.extra)

    def after(self, position: Position, done: int, prolong: bool = False) -> Position:
        """Return the position when `done` more of the phase is done.

        Args:
            prolong: the prefill, if that is over now and may go on.
        """
        if position.left > done:
            return position._replace(left=position.left - done)
        if prolong and (prolonged := self._prolonged(position)):
            return prolonged
        later = PHASES[PHASES.index(position.phase) + 1 :]
        return self._first(position.turn, later, position.extra) or self.start(position.turn + 1, position.extra)

    def describe(self, position: Position) -> str:
        """Describe the position, with steps counted over all environments; empty where it changes too fast."""
        turn, phase, left, extra = position
        total, unit = self.amount(turn, phase, extra), self._num_envs if phase == "collect" else 1
        if self.ends_at(position) or total < READABLE:
            return ""
        return f"turn {turn + 1:,} of {self.turns(extra):,} · {phase} {(total - left) * unit:,} of {total * unit:,}"

    def remaining(self, position: Position) -> dict[str, int]:
        """Return the amount left of the run by phase; a prefill is expected to find its events in time."""
        turns = self.turns(position.extra)
        left = {phase: self._total(phase, position.turn + 1, turns) for phase in PHASES}
        if position.turn < turns:
            left[position.phase] += position.left
            for phase in PHASES[PHASES.index(position.phase) + 1 :]:
                left[phase] += self.amount(position.turn, phase)
        return left

    def _prolonged(self, position: Position) -> Position | None:
        """Return the position where the prefill, which is over, goes on; None in other phases and at its limit."""
        piece = self._collect or 1
        extra = position.extra + piece
        is_prefill = position.turn == 0 and position.phase == "collect"
        if not is_prefill or (self._prefill + extra) * self._num_envs > self._config.prefill_limit:
            return None
        return Position(0, "collect", piece, extra)

    def _first(self, turn: int, phases: tuple[str, ...], extra: int) -> Position | None:
        amounts = ((phase, self.amount(turn, phase, extra)) for phase in phases)
        return next((Position(turn, phase, amount, extra) for phase, amount in amounts if amount), None)

    def _total(self, phase: str, first: int, turns: int) -> int:
        """Sum up a phase over the turns from `first` on; there may be millions, of which only the first are special."""
        special = max(len(self._config.fit_factors), 1)
        alike = max(0, turns - max(first, special))
        return alike * self.amount(special, phase) + sum(
            self.amount(turn, phase) for turn in range(first, min(special, turns))
        )


def _scaled(base: int, factors: tuple[float, ...], turn: int) -> int:
    return round(base * factors[turn]) if turn < len(factors) else base
