"""Returns on one scale for all games: 0 for a policy that sees nothing, 1 for the best that is practically possible.

The constants are those published with Procgen (Cobbe et al., 2019, arXiv:1912.01588), so that scores compare.
"""

from __future__ import annotations

RANGES: dict[str, dict[str, tuple[float, float]]] = {
    "easy": {
        "bigfish": (1, 40),
        "bossfight": (0.5, 13),
        "caveflyer": (3.5, 12),
        "chaser": (0.5, 13),
        "climber": (2, 12.6),
        "coinrun": (5, 10),
        "dodgeball": (1.5, 19),
        "fruitbot": (-1.5, 32.4),
        "heist": (3.5, 10),
        "jumper": (3, 10),
        "leaper": (3, 10),
        "maze": (5, 10),
        "miner": (1.5, 13),
        "ninja": (3.5, 10),
        "plunder": (4.5, 30),
        "starpilot": (2.5, 64),
    },
    "hard": {
        "bigfish": (0, 40),
        "bossfight": (0.5, 13),
        "caveflyer": (2, 13.4),
        "chaser": (0.5, 14.2),
        "climber": (1, 12.6),
        "coinrun": (5, 10),
        "dodgeball": (1.5, 19),
        "fruitbot": (-0.5, 27.2),
        "heist": (2, 10),
        "jumper": (1, 10),
        "leaper": (1.5, 10),
        "maze": (4, 10),
        "miner": (1.5, 20),
        "ninja": (2, 10),
        "plunder": (3, 30),
        "starpilot": (1.5, 35),
    },
}
"""The returns that become 0 and 1, by distribution mode and game."""


def normalised_return(game: str, distribution_mode: str, value: float) -> float | None:
    """Return `value` on the common scale; None for a game or a mode without published constants."""
    limits = RANGES.get(distribution_mode, {}).get(game)
    return (value - limits[0]) / (limits[1] - limits[0]) if limits else None
