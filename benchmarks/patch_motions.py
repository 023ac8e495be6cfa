"""Compares outputs of SimPLe's small layout after the same number of updates: motions of patches, and moved pixels.

    pip install -e '.[atari]'
    python benchmarks/patch_motions.py [--games pong] [--seeds 1 2 3] [--updates 500]

The layout is `simple_deterministic_small` without a policy and with a constant learning rate. Pixels are the most
probable candidates, or blends of them (`blend` of its output). Then `patch_motions` of its network and its output are
added, and `moved_scale` of its output too. Updates are made on 20,000 steps of random
actions, each held for six steps; the native games are easy and have 200 levels. The figure is the error of moving
pixels, divided by the error of copying the last frame, in play that was not trained on. The native games then have
other levels.

Each cell is kept in results/patch_motions.jsonl; the same command goes on with the cells that are missing. Every call
writes results/patch_motions.md from the finished cells: `--seeds` with no seed does nothing else.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from itertools import product
from pathlib import Path
from typing import Any

from archive import Archive
from kept_cells import heading, mean_cell, measure_cells, over_seeds, write_report
from provenance import made_line

from worldmodels.analysis.statistics.bootstrap import estimate
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.processor import this_processor
from worldmodels.core.seeding import Streams, fold
from worldmodels.loading.quiet import load_tensorflow

GAMES = {"pong": "ALE/Pong-v5", "starpilot": "starpilot", "coinrun": "coinrun"}
PLAIN = ["model.output.blend=false", "model.optimizer.learning_rate=2e-3"]
OF_PATCHES = ["model.network.patch_motions=true", "model.output.patch_motions=true"]
LAYOUTS = {
    "picture": [],
    "blend": ["model.output.blend=true"],
    "patches": OF_PATCHES,
    "moved": [*OF_PATCHES, "model.output.moved_scale=30"],
}
"""What is set besides the preset; patches have their motions besides the picture's."""
WORDS = {
    "picture": "the picture",
    "blend": "the picture; pixels are blends",
    "patches": "picture and patches",
    "moved": "picture and patches; pixels that moved weigh 31 times as much",
}
"""What the table says of each layout's motions."""
SEEDS = (1, 2, 3)
STEPS, TEST_STEPS, HOLD = 1_250, 400, 6.0  # of each of 16 environments
TEST_LEVELS = 5_000
CONTEXT, WINDOWS, HORIZONS = 4, 256, (1, 5, 15)
WARM = 20
"""Updates before time is taken."""
RESULTS = Path(__file__).parent / "results"
ARCHIVE = Archive(RESULTS / "patch_motions.jsonl")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=GAMES)
    parser.add_argument("--seeds", nargs="*", type=int, default=list(SEEDS))
    parser.add_argument("--updates", type=int, default=500)
    how = parser.parse_args()
    load_tensorflow()
    wanted = (
        {"game": game, "layout": layout, "updates": how.updates, "seed": seed}
        for seed, game, layout in product(how.seeds, how.games, LAYOUTS)
    )
    write_report(RESULTS / "patch_motions.md", measure_cells(ARCHIVE, wanted, learn_and_measure), report)


def config_of(game: str, layout: str) -> Any:
    """Return the configuration of a run that would learn so."""
    presets = ["simple_deterministic_small", *(["atari"] if game == "pong" else [])]
    levels = [] if game == "pong" else ["env.num_levels=200"]
    return load_config(
        RunConfig,
        presets,
        [
            f"env.game={GAMES[game]}",
            "env.num_envs=16",
            *levels,
            *PLAIN,
            *LAYOUTS[layout],
        ],
    )


def learn_and_measure(game: str, layout: str, updates: int, seed: int) -> dict[str, Any]:
    """Return the figures of a model after so many updates, and what one takes of a processor."""
    import tensorflow as tf
    from speed.experience import record_config, windows

    from worldmodels.envs import make_vec
    from worldmodels.models import build_model
    from worldmodels.models.graph import make_deterministic

    make_deterministic()
    streams, config = Streams(seed), config_of(game, layout)
    env = make_vec(config.env)
    model: Any = build_model(config.model, env.observation_spec, env.action_spec, streams.key("model"))
    env.close()
    recording = record_config(config.env, "training", STEPS, HOLD)
    generator, key, started = streams.generator("windows"), streams.key("fit"), 0.0
    for update in range(updates):
        if update == WARM:
            started = time.process_time()
        batch = windows(recording, config.training.batch, config.training.length, generator)
        model.fit(batch.map(tf.constant), tf.constant(fold(key, update)))
    seconds = (time.process_time() - started) / max(1, updates - WARM)
    return {"processor": str(this_processor()), "seconds": seconds, **measure(model, config.env, game)}


def measure(model: Any, env: Any, game: str) -> dict[str, float]:
    """Return the errors of moving pixels over those of copying, by how many steps ahead they are foreseen."""
    from speed.experience import STREAMS, record_config, windows

    from worldmodels.evaluation.predictions.model_errors import model_errors
    from worldmodels.evaluation.predictions.open_loop import OpenLoopPredictor

    if game != "pong":
        env = dataclasses.replace(env, start_level=TEST_LEVELS)
    played = record_config(env, "test", TEST_STEPS, HOLD)
    test = windows(played, WINDOWS, CONTEXT + max(HORIZONS), STREAMS.generator("test windows"))
    predicted, _ = OpenLoopPredictor(model, CONTEXT).measure(test, STREAMS.key("test"))
    errors: Any = model_errors(predicted, test, CONTEXT, model.spec)
    share = errors.moving_image_error.mean / errors.copy_moving_image_error.mean
    return {f"moving_{steps}": float(share[steps - 1]) for steps in HORIZONS}


def report(cells: list[dict[str, Any]]) -> str:
    """Return the table of all cells, the means over seeds with intervals where there are several."""
    ahead = " | ".join(f"{steps} ahead" for steps in HORIZONS)
    lines = [
        heading("Motions of patches", __doc__),
        f"On {', '.join(sorted({cell['processor'] for cell in cells}))}.\n",
        f"| game | updates | motions of | seeds | {ahead} | processor ms for an update |",
        "|---" * (5 + len(HORIZONS)) + "|",
    ]
    for updates, game, layout, those in over_seeds(cells, list(GAMES), "layout", list(LAYOUTS)):
        figures = [mean_cell([each[f"moving_{steps}"] for each in those]) for steps in HORIZONS]
        milliseconds = 1000 * estimate([each["seconds"] for each in those]).mean
        words = f"{updates} | {WORDS[layout]} | {len(those)}"
        lines.append(f"| {game} | {words} | {' | '.join(figures)} | {milliseconds:.0f} |")
    return "\n".join([*lines, "", made_line(cells)]) + "\n"


if __name__ == "__main__":
    main()
