"""The settings that can be changed while playing, one at a time: Tab chooses one, + and - change it.

Each setting has a short list of values. A value that the command line gave joins the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worldmodels.player.session.events import SettingEvent
from worldmodels.player.session.options import PlayOptions

TEMPERATURES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
RATES = (1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 60)
HORIZONS = (0, 1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 100, 200)
BRANCH_STEPS = (5, 10, 15, 20, 30, 50)
CALLS = (1, 2, 3, 4, 5, 8, 12, 20)
SAMPLE_NUMBERS = tuple(range(10))


def _positional(value: float) -> str:
    """Return a number with all its digits, and never with an exponent."""
    return np.format_float_positional(value, trim="-")


@dataclass
class Setting:
    """One setting with its possible values.

    Attributes:
        name: for people.
        values: the possible values, in order.
        index: the position of the current value.
        zero_text: the text for 0; may be empty.
    """

    name: str
    values: tuple[float, ...]
    index: int
    zero_text: str = ""

    @classmethod
    def at(cls, name: str, value: float, values: Sequence[float], zero_text: str = "") -> Setting:
        """Return a setting with this value, which joins the possible ones."""
        values = tuple(sorted({*values, value}))
        return cls(name, values, values.index(value), zero_text)

    @property
    def value(self) -> float:
        """The current value."""
        return self.values[self.index]

    @property
    def text(self) -> str:
        """The value for people."""
        return self.texts[self.index]

    @property
    def texts(self) -> tuple[str, ...]:
        """All values for people."""
        return tuple(self.zero_text if self.zero_text and value == 0 else _positional(value) for value in self.values)

    def move(self, places: int) -> None:
        """Move so many places along the values, no further than the first or the last."""
        self.index = min(max(self.index + places, 0), len(self.values) - 1)


class Settings:
    """All settings of a session, and which one is chosen.

    Args:
        with_model: there is a learned world; without one only the speed can be changed.
        with_policy: there is a policy.
        calls: the calls of its network in which a sampled model draws each frame; 0: no model is sampled.
    """

    def __init__(self, options: PlayOptions, with_model: bool, with_policy: bool, calls: int = 0) -> None:
        self._rate = Setting.at("steps a second", options.rate, RATES)
        self._temperature = Setting.at("model temperature", options.temperature, TEMPERATURES, "0, the mode")
        self._policy_temperature = Setting.at(
            "policy temperature", options.policy_temperature, TEMPERATURES, "0, the mode"
        )
        self._put_back_every = Setting.at("put back every", options.put_back_every, HORIZONS, "never")
        self._branch_steps = Setting.at("branch for", 20, BRANCH_STEPS)
        self._sample = Setting.at("sample", 0, SAMPLE_NUMBERS)
        self._calls = Setting.at("calls for each frame", calls, CALLS if calls else ())
        of_model = [self._temperature, self._sample, self._put_back_every, self._branch_steps]
        of_model[1:1] = [self._calls] if calls else []
        self.rows = [
            self._rate,
            *(of_model if with_model else ()),
            *([self._policy_temperature] if with_policy else ()),
        ]
        """The settings that this session has."""
        self.chosen = 0
        """The index of the chosen row."""

    @property
    def rate(self) -> int:
        """Ticks of the clock, so steps of the worlds, each second."""
        return int(self._rate.value)

    @property
    def temperature(self) -> float:
        """The temperature of the model's samples; 0 takes the most probable."""
        return self._temperature.value

    @property
    def calls(self) -> int:
        """The calls of its network in which a sampled model draws each frame."""
        return int(self._calls.value)

    @property
    def policy_temperature(self) -> float:
        """The temperature of the policy's samples; 0 takes the most probable action."""
        return self._policy_temperature.value

    @property
    def put_back_every(self) -> int:
        """Steps after which the model is put back on the real state; 0: never."""
        return int(self._put_back_every.value)

    @property
    def branch_steps(self) -> int:
        """The length of branches."""
        return int(self._branch_steps.value)

    @property
    def sample(self) -> int:
        """The number of the model's sample: another number, another future under the same keys."""
        return int(self._sample.value)

    def choose_next(self) -> None:
        """Choose the next setting."""
        self.chosen = (self.chosen + 1) % len(self.rows)

    def change(self, places: int) -> str:
        """Move the chosen setting by so many values, and return its name and new value for people."""
        setting = self.rows[self.chosen]
        setting.move(places)
        return f"{setting.name}: {setting.text}"

    def take(self, event: SettingEvent) -> str:
        """Choose a setting and a value by their places; a place beyond the end takes the last one."""
        self.chosen = min(event.setting, len(self.rows) - 1)
        return self.change(event.value - self.rows[self.chosen].index)
