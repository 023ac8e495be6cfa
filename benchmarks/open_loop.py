"""What a world model knows of actions, where it learns to predict without seeing and where it does not.

    python benchmarks/open_loop.py [--games coinrun ninja] [--seeds 1 2 3] [--updates 600]

`dreamer_small` without its policy: updates on 20,000 steps of random play whose actions are held for three steps, 200
levels, easy, with `model.open_loop` 0 and above. Then, on levels never seen: how much of the difference that actions
make to the frame five steps later it reproduces, and the error of images over that of copying the last frame.

Each cell is kept under results/open_loop, for as many updates; the same command goes on. Every call writes
results/open_loop.md from all that is finished by then: `--updates 600 --seeds` with no seed does nothing else.
"""

from __future__ import annotations

import argparse
import json
from itertools import product
from pathlib import Path
from typing import Any

from worldmodels.analysis.aggregate import estimate
from worldmodels.core.config import load_config
from worldmodels.core.files import write_atomic
from worldmodels.core.seeding import Streams, fold
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.runtime.config import RunConfig
from worldmodels.runtime.quiet import load_tensorflow

GAMES = ("coinrun", "ninja", "starpilot", "bossfight", "leaper", "fruitbot")
SHARES = (0.0, 0.75)
SEEDS = (1, 2, 3)
STEPS, HOLD = 1_250, 3.0  # of each of 16 environments
CONTEXT, HORIZON, WINDOWS, HELD = 8, 15, 128, 5
RESULTS = Path(__file__).parent / "results"
FIGURES = {
    "actions reproduced": "reproduced",
    "image, 1 step ahead": "image_1",
    "5": "image_5",
    "15": "image_15",
    "moving pixels, 15": "moving_15",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=GAMES)
    parser.add_argument("--seeds", nargs="*", type=int, default=list(SEEDS))
    parser.add_argument("--updates", type=int, default=600)
    how = parser.parse_args()
    load_tensorflow()
    for seed, game, share in product(how.seeds, how.games, SHARES):
        path = RESULTS / "open_loop" / f"{game}_{share:g}_{how.updates}_{seed}.json"
        if not path.exists():
            found = {"game": game, "share": share, "updates": how.updates, "seed": seed}
            found |= learn_and_measure(game, share, how.updates, seed)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, json.dumps(found, allow_nan=False) + "\n")
            print(found, flush=True)
    cells = [json.loads(path.read_text()) for path in sorted((RESULTS / "open_loop").glob("*.json"))]
    if cells:
        write_atomic(RESULTS / "open_loop.md", report(cells))
        print(report(cells))


def learn_and_measure(game: str, share: float, updates: int, seed: int) -> dict[str, float]:
    """Return the figures of a model after so many updates."""
    import tensorflow as tf
    from speed.experience import ACTIONS, SHAPE, record, windows

    from worldmodels.models import build_model
    from worldmodels.models.graph import make_deterministic

    make_deterministic()
    streams = Streams(seed)
    config: Any = load_config(RunConfig, ["dreamer_small"], ["model.picture=null", f"model.open_loop={share}"])
    model: Any = build_model(config.model, ObservationSpec.of(*SHAPE), ActionSpec(ACTIONS), streams.key("model"))
    recording, generator = record(game, "training", STEPS, HOLD, num_levels=200), streams.generator("windows")
    key = streams.key("fit")
    for update in range(updates):
        batch = windows(recording, config.training.batch, config.training.length, generator)
        model.fit(batch.map(tf.constant), tf.constant(fold(key, update)))
    return measure(model, game)


def measure(model: Any, game: str) -> dict[str, float]:
    """Return what a model reproduces of actions, and its errors over those of copying, on levels never seen."""
    from speed.experience import ENVS, STREAMS, HeldActor, record, windows
    from speed.held_out import held_out_errors

    from worldmodels.envs import EnvConfig, make_vec
    from worldmodels.evaluation.measures.action_effects import compare_outcomes, real_outcomes
    from worldmodels.evaluation.measures.open_loop import OpenLoopPredictor
    from worldmodels.evaluation.measures.windows import play_moments

    played = record(game, "test", 300, HOLD, start_level=200)
    test = windows(played, WINDOWS, CONTEXT + HORIZON, STREAMS.generator("test windows"))
    errors: Any = held_out_errors(model, test, CONTEXT, STREAMS.key("test"))
    env: Any = make_vec(EnvConfig(game=game, num_envs=ENVS, start_level=200))
    actor, predictor = HeldActor(STREAMS.generator("moments"), HOLD), OpenLoopPredictor(model, CONTEXT)

    def tried():
        for moments in play_moments(env, actor, WINDOWS // ENVS, CONTEXT, STREAMS.integer("moments")):
            real = real_outcomes(env, moments.states, HELD)
            yield real, predictor.hold_actions(moments.windows, len(real.reward), HELD, STREAMS.key("held"))

    reproduced = compare_outcomes(tried(), HELD).reproduced
    env.close()
    image = errors.image_error.mean / errors.copy_image_error.mean
    moving = errors.moving_image_error.mean / errors.copy_moving_image_error.mean
    ahead = {f"image_{steps}": float(image[steps - 1]) for steps in (1, 5, 15)}
    return {"reproduced": reproduced, **ahead, "moving_15": float(moving[-1])}


def report(cells: list[dict[str, Any]]) -> str:
    """Return the table of all cells, the means over seeds with intervals where there are several."""
    lines = [
        f"# Predicting without seeing\n\n```\n{(__doc__ or '').strip()}\n```\n",
        f"| game | updates | `open_loop` | seeds | {' | '.join(FIGURES)} |",
        "|---" * (4 + len(FIGURES)) + "|",
    ]
    groups = sorted({(cell["updates"], GAMES.index(cell["game"]), cell["share"]) for cell in cells})
    for updates, game, share in groups:
        those = [c for c in cells if (c["updates"], GAMES.index(c["game"]), c["share"]) == (updates, game, share)]
        figures = [_cell([each[name] for each in those]) for name in FIGURES.values()]
        lines.append(f"| {GAMES[game]} | {updates} | {share:g} | {len(those)} | {' | '.join(figures)} |")
    return "\n".join(lines) + "\n"


def _cell(values: list[float]) -> str:
    found = estimate(values)
    return f"{found.mean:.2f}" + (f" ({found.low:.2f} to {found.high:.2f})" if len(values) > 2 else "")


if __name__ == "__main__":
    main()
