"""The hours of training at each record of a run, from the speeds that it recorded.

A record with `time/..._per_second` tells how much was done per second of wall time since the one before, evaluations
and checkpoints included. So the seconds between the two are what the counter grew by, over its speed; the time between
a stop and its continuation is in no record, and does not count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

_SPEEDS = {
    "time/env_steps_per_second": ("step",),
    "time/updates_per_second": ("model/updates", "policy/updates"),
    "time/policy_updates_per_second": ("policy/updates",),
}
"""The counters whose growth a speed measures: the first of them that a run has."""


def elapsed_hours(records: Sequence[Mapping[str, float | None]]) -> list[float]:
    """Return the hours of training at each record, in their order; nothing where no record has a speed.

    Records without a speed, of evaluations between two others for example, stand in proportion to their steps.
    """
    seconds, before, known = 0.0, dict[str, float](), dict[int, float]()
    for index, record in enumerate(records):
        taken = _seconds_since(record, before)
        if taken is not None:
            seconds += taken
            known[index] = seconds / 3600
            before = {name: value for name, value in record.items() if value is not None}
    if not known:
        return []
    steps = [float(record["step"] or 0) for record in records]
    between = np.interp(steps, [0, *(steps[index] for index in known)], [0, *known.values()])
    return [known.get(index, float(hours)) for index, hours in enumerate(between)]


def _seconds_since(record: Mapping[str, float | None], before: Mapping[str, float]) -> float | None:
    """Return the seconds between two records; None where no speed tells them, because nothing grew for example."""
    for name, counters in _SPEEDS.items():
        speed, counter = record.get(name), next((counter for counter in counters if counter in record), None)
        if speed is None or speed <= 0 or counter is None or (now := record[counter]) is None:
            continue
        seconds = (now - before.get(counter, 0)) / speed
        if 0 < seconds < math.inf:
            return seconds
    return None
