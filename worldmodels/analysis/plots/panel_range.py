"""The range of values that a panel shows: that of its lines, and of their bands as far they leave room."""

from __future__ import annotations

import numpy as np

from worldmodels.analysis.plots.curves import GroupCurve, Numbers

BAND_TAIL = 10
"""The percentage of points of bands that may be cut off at either end of a panel; else a few would flatten lines."""
BAND_ROOM = 0.5
"""The share of the height of everything else by which such points may yet widen a panel at either end."""
PAIR_REACH = 0.28
"""The share of the interval of two runs that counts: Student's is 9.0 times their standard deviation, of three 2.5."""


def band_reach(curve: GroupCurve) -> tuple[Numbers, Numbers]:
    """Return how far the band of a line counts for the range of a panel, (P,) each; NaN where there is none."""
    share = np.where(curve.runs == 2, PAIR_REACH, 1.0)
    return curve.estimate - share * (curve.estimate - curve.low), curve.estimate + share * (curve.high - curve.estimate)


def shown_range(
    needed: tuple[float, float], low: Numbers, high: Numbers, whole: tuple[float, float]
) -> tuple[float, float]:
    """Return the range of values that a panel shows: `whole`, cut where few points of the bands reach far.

    Args:
        needed: the range of the lines.
        low, high: the ends of all bands, (P,); NaN where there are none.
    """
    known = ~np.isnan(low)
    if not known.any():
        return whole
    bottom = min(needed[0], float(np.percentile(low[known], BAND_TAIL)))
    top = max(needed[1], float(np.percentile(high[known], 100 - BAND_TAIL)))
    room = BAND_ROOM * (top - bottom)
    return max(whole[0], bottom - room), min(whole[1], top + room)
