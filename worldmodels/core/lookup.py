"""An unknown name is answered with the nearest name that exists."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, choices: Iterable[str]) -> str | None:
    """Return the member of `choices` most like `name`, upper and lower case aside; None where nothing comes close."""
    folded = {choice.casefold(): choice for choice in choices}
    matches = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[matches[0]] if matches else None


def shortened(text: str, length: int = 80) -> str:
    """Return a text for an error; where it is longer than `length`, its beginning."""
    return text if len(text) <= length else f"{text[:length]}..."


def plural(kind: str) -> str:
    """Return the English plural of a noun such as "game" or "policy"."""
    if kind.endswith("y") and kind[-2:-1] not in tuple("aeiou"):
        return kind[:-1] + "ies"
    return kind + ("es" if kind.endswith(("s", "x", "ch", "sh")) else "s")


def unknown(kind: str, name: str, choices: Iterable[str]) -> str:
    """Return a sentence such as "Unknown game 'mase'. Did you mean 'maze'? Games: coinrun, maze, starpilot."."""
    choices, name = list(choices), shortened(name)
    guess = nearest(name, choices)
    hint = f" Did you mean '{guess}'?" if guess else ""
    listing = f"{plural(kind)}: {', '.join(choices) or 'none'}."
    return f"Unknown {kind} '{name}'.{hint} {listing[0].upper()}{listing[1:]}"
