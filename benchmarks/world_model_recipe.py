"""Compares recipes of a world model after the same number of updates.

    python benchmarks/world_model_recipe.py [--games coinrun] [--recipes before new] [--seeds 1 2 3] [--updates 600]

The model is `dreamer_small` without its policy and its second decoder. Updates are made on 20,000 steps of random play
whose actions are held for three steps, on 200 easy levels. All figures are of levels never seen. Image errors, seen and
ahead, are divided by the error of copying the last frame. `actions reproduced` is the reproduced share of the
difference that actions make to the frame five steps later; chance takes its most probable turn there.

Each cell is kept in results/world_model_recipe.jsonl; the same command goes on with the cells that are missing. Every
call writes results/world_model_recipe.md from the finished cells: `--seeds` with no seed does nothing else.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path
from typing import Any

from archive import Archive
from kept_cells import heading, mean_cell, measure_cells, over_seeds, write_report
from provenance import made_line

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.seeding import Streams, fold
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.loading.quiet import load_tensorflow

GAMES = ("coinrun", "ninja", "starpilot", "bossfight", "leaper", "fruitbot")
RECIPES = {
    "before": "constant steps of 1.2e-3, `beta2: 0.999`, `kl_scale: 0.3`, `kl_balance: 0.8`",
    "decay": "steps from 2.4e-3 to 1.2e-4, `beta2: 0.99`",
    "kl": "`kl_scale: 1.1`, `kl_balance: 0.91`",
    "new": "both",
}
"""What is different from the first one."""
GONE = {"open_loop": "both, and `open_loop: 0.5`, an option that is gone"}
"""The same of recipes that can no longer be measured."""
SEEDS = (1, 2, 3)
STEPS, HOLD = 1_250, 3.0  # of each of 16 environments
CONTEXT, HORIZON, WINDOWS, HELD = 8, 15, 256, 5
RESULTS = Path(__file__).parent / "results"
ARCHIVE = Archive(RESULTS / "world_model_recipe.jsonl")
FIGURES = {
    "image seen": "seen",
    "1 ahead": "image_1",
    "5": "image_5",
    "15": "image_15",
    "actions reproduced": "reproduced",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=GAMES)
    parser.add_argument("--recipes", nargs="+", default=list(RECIPES), choices=RECIPES)
    parser.add_argument("--seeds", nargs="*", type=int, default=list(SEEDS))
    parser.add_argument("--updates", type=int, default=600)
    how = parser.parse_args()
    load_tensorflow()
    wanted = (
        {"game": game, "recipe": recipe, "updates": how.updates, "seed": seed}
        for seed, game, recipe in product(how.seeds, how.games, how.recipes)
    )
    write_report(RESULTS / "world_model_recipe.md", measure_cells(ARCHIVE, wanted, learn_and_measure), report)


def settings_of(recipe: str, updates: int) -> list[str]:
    """Return the overrides of `dreamer_small` that a recipe stands for."""
    decays, weighs = recipe in ("decay", "new"), recipe in ("kl", "new")
    rate = f"linear(2.4e-3, 1.2e-4, {updates})" if decays else "1.2e-3"
    return [
        "model.picture_every=0",
        f"model.optimizer.learning_rate={rate}",
        f"model.optimizer.beta2={0.99 if decays else 0.999}",
        f"model.kl_scale={1.1 if weighs else 0.3}",
        f"model.kl_balance={0.91 if weighs else 0.8}",
    ]


def learn_and_measure(game: str, recipe: str, updates: int, seed: int) -> dict[str, float]:
    """Return the figures of a model after so many updates."""
    import tensorflow as tf
    from speed.experience import ACTIONS, SHAPE, record, windows

    from worldmodels.models import build_model
    from worldmodels.models.graph import make_deterministic

    make_deterministic()
    streams = Streams(seed)
    config: Any = load_config(RunConfig, ["dreamer_small"], settings_of(recipe, updates))
    model: Any = build_model(config.model, ObservationSpec.of(*SHAPE), ActionSpec(ACTIONS), streams.key("model"))
    recording, generator = record(game, "training", STEPS, HOLD, num_levels=200), streams.generator("windows")
    key = streams.key("fit")
    for update in range(updates):
        batch = windows(recording, config.training.batch, config.training.length, generator)
        model.fit(batch.map(tf.constant), tf.constant(fold(key, update)))
    return measure(model, game)


def measure(model: Any, game: str) -> dict[str, float]:
    """Return what a model sees, foresees and reproduces of actions, on levels never seen."""
    from speed.experience import ENVS, STREAMS, HeldActor, record, windows

    from worldmodels.envs import EnvConfig, make_vec
    from worldmodels.evaluation.measures.action_effects import compare_outcomes, real_outcomes
    from worldmodels.evaluation.predictions.model_errors import model_errors
    from worldmodels.evaluation.predictions.open_loop import OpenLoopPredictor
    from worldmodels.evaluation.predictions.windows import play_moments

    played = record(game, "test", 600, HOLD, start_level=200)
    test = windows(played, WINDOWS, CONTEXT + HORIZON, STREAMS.generator("test windows"))
    predictor = OpenLoopPredictor(model, CONTEXT)
    seen, _ = predictor.measure_reconstruction(test, STREAMS.key("seen"))
    predicted, _ = predictor.measure(test, STREAMS.key("test"))
    errors: Any = model_errors(predicted, test, CONTEXT, model.spec, seen)
    env: Any = make_vec(EnvConfig(game=game, num_envs=ENVS, start_level=200))
    actor = HeldActor(STREAMS.generator("moments"), HOLD)

    def tried():
        for moments in play_moments(env, actor, WINDOWS // ENVS, CONTEXT, STREAMS.integer("moments")):
            real = real_outcomes(env, moments.states, HELD)
            yield real, predictor.hold_actions(moments.windows, len(real.reward), HELD, STREAMS.key("held"), 0.0)

    reproduced = compare_outcomes(tried(), HELD).reproduced
    env.close()
    copied = errors.copy_image_error.mean
    image = errors.image_error.mean / copied
    return {
        "seen": float(errors.reconstruction_error.mean[0] / copied[0]),
        **{f"image_{steps}": float(image[steps - 1]) for steps in (1, 5, 15)},
        "reproduced": reproduced,
    }


def report(cells: list[dict[str, Any]]) -> str:
    """Return the table of all cells, the means over seeds with intervals where there are several."""
    lines = [
        heading("Recipes of a world model", __doc__),
        *(f"* {recipe}: {words}" for recipe, words in (RECIPES | GONE).items()),
        "",
        f"| game | updates | recipe | seeds | {' | '.join(FIGURES)} |",
        "|---" * (4 + len(FIGURES)) + "|",
    ]
    for updates, game, recipe, those in over_seeds(cells, GAMES, "recipe", list(RECIPES | GONE)):
        figures = [mean_cell([each[name] for each in those]) for name in FIGURES.values()]
        lines.append(f"| {game} | {updates} | {recipe} | {len(those)} | {' | '.join(figures)} |")
    return "\n".join([*lines, "", made_line(cells)]) + "\n"


if __name__ == "__main__":
    main()
