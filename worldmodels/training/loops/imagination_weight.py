"""The weight of imagination in a turn is the precision with which the model predicted events of new steps.

Until the model is fitted to the steps of this turn, they are a test set without any held-out episode (prequential
evaluation, Dawid 1984). They also come from the current policy, in the states that it visits now.
"""

from __future__ import annotations

from typing import Any

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.seeding import Key, fold
from worldmodels.core.types import Batch
from worldmodels.evaluation.predictions.event_foresight import EventForesight
from worldmodels.evaluation.predictions.open_loop import OpenLoopPredictor
from worldmodels.models.api import WorldModel
from worldmodels.replay import Replay

MEMORY = 30
"""Starts followed by an event over which a skill is averaged: one turn may see but a few."""


class Skill:
    """An average precision with the base rate at 0, averaged over the last few events; 0 before any was met."""

    def __init__(self) -> None:
        self.value, self.events = 0.0, 0

    def take_in(self, precision: float, base: float, starts: int) -> bool:
        """Take in how well events were foreseen from so many starts; return whether there was one to tell apart."""
        if not 0 < base < 1:
            return False
        events = round(base * starts)
        self.events = min(self.events + events, max(MEMORY, events))
        self.value += ((precision - base) / (1 - base) - self.value) * events / self.events
        return True


class ImaginationWeight:
    """A weight from 0 to 1: the average precision of rewards 1 to 5 steps ahead, with the base rate at 0.

    It scales the number of imagined updates, not their loss, which an adaptive optimizer would scale back.

    Args:
        settings: the context and horizon of an evaluation, which are those of the windows here.
        key: of all samples.
        by_ends: limit the weight by the precision for ends without a reward, once some were met. These are deaths,
            where the end of a won episode is rewarded.
    """

    def __init__(
        self, model: WorldModel, replay: Replay, settings: EvaluationConfig, key: Key, by_ends: bool = False
    ) -> None:
        self._replay, self._settings, self._key = replay, settings, key
        self._predictor = OpenLoopPredictor(model, settings.context)
        self._rewards, self._ends = Skill(), Skill() if by_ends else None

    @property
    def value(self) -> float:
        """The weight; 0 before any reward was met."""
        ends = self._ends.value if self._ends and self._ends.events else 1.0
        return min(1.0, max(0.0, min(self._rewards.value, ends)))

    def measure(self, steps: int, counter: int) -> dict[str, float]:
        """Take in how well the model foresees the newest `steps` of every stream, and return metrics.

        Args:
            counter: another one each time, for the samples.
        """
        windows = newest_windows(self._replay, steps, self._settings.context, self._settings.horizon)
        foresight = self._predictor.foresight(windows, fold(self._key, counter))
        metrics = self._take_in(foresight) if foresight else {}
        return metrics | {"training/imagination_weight": self.value}

    def save(self) -> dict[str, Any]:
        ends = {"end_skill": self._ends.value, "ended": self._ends.events} if self._ends else {}
        return {"skill": self._rewards.value, "rewarded": self._rewards.events, **ends}

    def load(self, tree: dict[str, Any]) -> None:
        self._rewards.value, self._rewards.events = tree["skill"], tree["rewarded"]
        if self._ends:
            self._ends.value, self._ends.events = tree["end_skill"], tree["ended"]

    def _take_in(self, foresight: EventForesight) -> dict[str, float]:
        metrics: dict[str, float] = {}
        precision, base = foresight.reward_average_precision, foresight.reward_base_rate
        if self._rewards.take_in(precision, base, foresight.starts):
            metrics |= {"model/held_out_reward_precision": precision, "model/held_out_reward_base_rate": base}
        precision, base = foresight.unrewarded_end_average_precision, foresight.unrewarded_end_base_rate
        unrewarded = round((1 - foresight.reward_base_rate) * foresight.starts)
        if self._ends and self._ends.take_in(precision, base, unrewarded):
            metrics |= {
                "model/held_out_unrewarded_end_precision": precision,
                "model/held_out_unrewarded_end_base_rate": base,
            }
        return metrics


def newest_windows(replay: Replay, steps: int, context: int, horizon: int) -> Batch:
    """Return windows of `context + horizon` steps side by side, whose horizons cover the newest `steps` of each stream.

    A remainder in the beginning and at the end is left out.
    """
    length, stop = context + horizon, replay.span.stop
    starts = range(stop - steps, stop - length + 1, horizon)
    windows = [replay.window(stream, start, length) for start in starts for stream in range(replay.num_streams)]
    return Batch.joined(windows)
