"""Numbers as texts of a report."""

from __future__ import annotations

import math


def rounded(value: float) -> str:
    """Return a value in three digits that say something: "12,345", "12.3", "−0.0123"; a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    if abs(value) < 1e-3 and value:
        return _with_minus(f"{value:.2g}")
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    return _with_minus(f"{value:,.{min(digits, 5)}f}")


def interval_text(low: float, high: float) -> str:
    """Return "1.2 to 3.4", or nothing where there is no interval."""
    return "" if math.isnan(low) else f"{rounded(low)} to {rounded(high)}"


def compact(value: float) -> str:
    """Return a value as short as an axis needs it: "400k", "1.5M", "−0.25"."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= max(unit, 1e4 if letter == "k" else 0):
            return _with_minus(f"{value / unit:.4g}{letter}")
    return _with_minus(f"{value:.4g}")


def percent(share: float) -> str:
    """Return a share of 1 as "83 %"."""
    return "–" if math.isnan(share) else f"{100 * share:.0f} %"


def counted(number: int, noun: str) -> str:
    """Return "1 run" or "3 runs"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _with_minus(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}", 1) if text.startswith("-") else text
