"""The weight of imagination in a turn: how well rewards were foreseen in the steps that the turn collected.

Until the model is fitted to them, these steps are unknown to it, so they test it without keeping any episode from it
(prequential evaluation, Dawid 1984). They are also those that count: of the policy as it now is, where it now goes.
"""

from __future__ import annotations

from typing import Any

from worldmodels.core.seeding import Key, fold
from worldmodels.core.types import Batch
from worldmodels.evaluation.measures.event_foresight import EventForesight
from worldmodels.evaluation.measures.open_loop import OpenLoopPredictor
from worldmodels.models.api import WorldModel
from worldmodels.replay import Replay
from worldmodels.runtime.config import EvaluationConfig

MEMORY = 30
"""Starts followed by a reward over which the weight is averaged: one turn may see but a few."""


class ImaginationWeight:
    """A weight from 0 to 1: the average precision of rewards 1 to 5 steps ahead, with the base rate at 0.

    It scales the number of imagined updates, not their loss, which an adaptive optimizer would scale back.

    Args:
        settings: the context and horizon of an evaluation, which are those of the windows here.
        key: of all samples.
    """

    def __init__(self, model: WorldModel, replay: Replay, settings: EvaluationConfig, key: Key) -> None:
        self._replay, self._settings, self._key = replay, settings, key
        self._predictor = OpenLoopPredictor(model, settings.context)
        self._skill, self._rewarded = 0.0, 0

    @property
    def value(self) -> float:
        """The weight; 0 before any reward was met."""
        return min(1.0, max(0.0, self._skill))

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
        return {"skill": self._skill, "rewarded": self._rewarded}

    def load(self, tree: dict[str, Any]) -> None:
        self._skill, self._rewarded = tree["skill"], tree["rewarded"]

    def _take_in(self, foresight: EventForesight) -> dict[str, float]:
        precision, base = foresight.reward_average_precision, foresight.reward_base_rate
        if not 0 < base < 1:
            return {}  # where nothing pays, or everything, there is nothing to tell apart
        rewarded = round(base * foresight.starts)
        self._rewarded = min(self._rewarded + rewarded, max(MEMORY, rewarded))
        self._skill += ((precision - base) / (1 - base) - self._skill) * rewarded / self._rewarded
        return {"model/held_out_reward_precision": precision, "model/held_out_reward_base_rate": base}


def newest_windows(replay: Replay, steps: int, context: int, horizon: int) -> Batch:
    """Return windows of `context + horizon` steps side by side, whose horizons cover the newest `steps` of each stream
    but for what is left over in the beginning and the end."""
    length, stop = context + horizon, replay.span.stop
    starts = range(stop - steps, stop - length + 1, horizon)
    windows = [replay.window(stream, start, length) for start in starts for stream in range(replay.num_streams)]
    return Batch.joined(windows)
