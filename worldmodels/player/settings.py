"""What can be changed while playing, one thing at a time: Tab chooses it, + and - change it.

Values lie on short ladders. A value that the command line gave and that is on no rung becomes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worldmodels.player.options import PlayOptions

TEMPERATURES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
RATES = (1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 60)
HORIZONS = (0, 1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 100, 200)
BRANCH_STEPS = (5, 10, 15, 20, 30, 50)
SAMPLES = tuple(range(10))


@dataclass
class Setting:
    """One of the things that can be changed.

    Attributes:
        name: for people.
        rungs: its values, in order.
        place: which of them it has now.
        special: what people read in place of 0; may be empty.
    """

    name: str
    rungs: tuple[float, ...]
    place: int
    special: str = ""

    @classmethod
    def at(cls, name: str, value: float, rungs: Sequence[float], special: str = "") -> Setting:
        """A setting with this value, on a ladder that holds it."""
        rungs = tuple(sorted({*rungs, value}))
        return cls(name, rungs, rungs.index(value), special)

    @property
    def value(self) -> float:
        """Now."""
        return self.rungs[self.place]

    @property
    def text(self) -> str:
        """The value for people."""
        return self.special if self.special and self.value == 0 else f"{self.value:g}"

    def move(self, rungs: int) -> None:
        """Up or down the ladder, no further than its ends."""
        self.place = min(max(self.place + rungs, 0), len(self.rungs) - 1)


class Settings:
    """All of them, and which one is chosen.

    Args:
        with_model: there is a learned world; else only the speed can be changed.
        with_policy: there is a policy.
    """

    def __init__(self, options: PlayOptions, with_model: bool, with_policy: bool) -> None:
        self._rate = Setting.at("steps a second", options.rate, RATES)
        self._temperature = Setting.at("model temperature", options.temperature, TEMPERATURES, "0, the mode")
        self._policy_temperature = Setting.at(
            "policy temperature", options.policy_temperature, TEMPERATURES, "0, the mode"
        )
        self._put_back_every = Setting.at("put back every", options.put_back_every, HORIZONS, "never")
        self._branch_steps = Setting.at("branch for", 20, BRANCH_STEPS)
        self._sample = Setting.at("sample", 0, SAMPLES)
        of_model = [self._temperature, self._sample, self._put_back_every, self._branch_steps]
        self.rows = [
            self._rate,
            *(of_model if with_model else ()),
            *([self._policy_temperature] if with_policy else ()),
        ]
        """Those that there are."""
        self.chosen = 0
        """Which of the rows."""

    @property
    def rate(self) -> int:
        """Ticks of the clock, so steps of the worlds, each second."""
        return int(self._rate.value)

    @property
    def temperature(self) -> float:
        """Of the model's samples; 0 takes the most probable."""
        return self._temperature.value

    @property
    def policy_temperature(self) -> float:
        """Of the policy's samples; 0 takes the most probable action."""
        return self._policy_temperature.value

    @property
    def put_back_every(self) -> int:
        """Steps after which the model is put back on the real state; 0: never."""
        return int(self._put_back_every.value)

    @property
    def branch_steps(self) -> int:
        """How far branches go."""
        return int(self._branch_steps.value)

    @property
    def sample(self) -> int:
        """Which of the model's possible samples: another number, another dream."""
        return int(self._sample.value)

    def choose_next(self) -> None:
        """Another one is changed from now on."""
        self.chosen = (self.chosen + 1) % len(self.rows)

    def change(self, rungs: int) -> str:
        """Move the chosen one; what it is now, for people."""
        setting = self.rows[self.chosen]
        setting.move(rungs)
        return f"{setting.name}: {setting.text}"

    def save(self) -> tuple[int, ...]:
        """What `load` needs to come back here."""
        return tuple(setting.place for setting in self.rows)

    def load(self, places: tuple[int, ...]) -> None:
        """All as it was when `save` was called."""
        for setting, place in zip(self.rows, places, strict=True):
            setting.place = place
