"""Defines a benchmark's cells: a learner on a game with a seed, in an experiment with a number of real steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Overrides = Mapping[str, Any]
"""Values by the dotted keys of a run's configuration."""
GONE = frozenset(
    (
        "agent.advantage_floor",
        "agent.first_log_deviation",
        "agent.first_scale",
        "training.prefill_most",
    )
)
"""Keys that the configuration no longer has. A result that was measured with one counts, and its page names it."""


def without_gone(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without the keys that are gone, also in mappings within."""
    return {
        key: without_gone(value) if isinstance(value, Mapping) else value
        for key, value in settings.items()
        if key not in GONE
    }


def gone_line(settings: Iterable[Mapping[str, Any]]) -> str:
    """Return a sentence that names the keys of settings that are gone, with their values; empty if there are none."""
    words = {
        f"`{key}={value}`"
        for each in settings
        for part in (each, each.get("overrides", {}))
        for key, value in part.items()
        if key in GONE
    }
    return f"Some of these runs had {' and '.join(sorted(words))}, which can no longer be set." if words else ""


class Learner(NamedTuple):
    """Presets, one or more with spaces between them, and what is different in the benchmark."""

    title: str
    preset: str
    overrides: Overrides
    controls: Sequence[str] = ()
    """Learners that lack what this one is about: it is compared with each of them, too."""
    trainer: str = ""
    """A script of the benchmarks and its arguments, which train in place of `worldmodels`."""


class Experiment(NamedTuple):
    """The same number of real steps for all learners, on each game with each seed."""

    name: str
    steps: int
    """Real steps, those of all environments together."""
    games: Sequence[str]
    seeds: Sequence[int]
    common: Overrides
    """What is the same for all learners."""
    learners: Mapping[str, Learner]
    """The first is the one with which the others are compared."""
    overrides: Mapping[str, Overrides]
    """What differs from a learner's own overrides in this experiment, by learner."""

    def cells(self) -> Iterator[Cell]:
        """Yield the cells seed by seed, so that an early end leaves all learners compared."""
        for seed in self.seeds:
            for game in self.games:
                for learner in self.learners:
                    yield Cell(self, game, learner, seed)


class Cell(NamedTuple):
    """One run of the benchmark."""

    experiment: Experiment
    game: str
    learner: str
    seed: int

    @property
    def name(self) -> str:
        """The path of its files, without what they end in."""
        return f"{self.experiment.name}/{self.game}/{self.learner}_{self.seed}"

    @property
    def preset(self) -> str:
        return self.experiment.learners[self.learner].preset

    @property
    def trainer(self) -> str:
        return self.experiment.learners[self.learner].trainer

    @property
    def overrides(self) -> dict[str, Any]:
        """All values in which the run differs from its preset."""
        experiment = self.experiment
        return {
            **experiment.common,
            **experiment.learners[self.learner].overrides,
            **experiment.overrides.get(self.learner, {}),
            "training.steps": experiment.steps,
            "env.game": self.game,
            "seed": self.seed,
        }

    @property
    def settings(self) -> dict[str, Any]:
        """What decides its numbers, for JSON: a result with other settings is none of this cell."""
        trainer = {"trainer": self.trainer} if self.trainer else {}
        return {"preset": self.preset, **trainer, **self.overrides}
