"""The results of an evaluation as tables on the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.levels import mode_of
from worldmodels.evaluation.evaluator import ImaginedResult
from worldmodels.evaluation.measures.action_effects import ActionEffects
from worldmodels.evaluation.measures.event_foresight import STEPS, EventForesight
from worldmodels.evaluation.measures.grid import Cell, GridSetting
from worldmodels.evaluation.measures.imagined_play import reward_per_step
from worldmodels.evaluation.measures.knowledge import Knowledge
from worldmodels.evaluation.measures.model_errors import Curve, WorldModelErrors
from worldmodels.evaluation.measures.normalisation import normalised_return
from worldmodels.evaluation.measures.policy_returns import Episodes
from worldmodels.telemetry.table import print_table


def print_grid(cells: Sequence[Cell], env: EnvConfig, agent: str, levels: str) -> None:
    """Print the returns on some levels, and how they compare with the random policy's."""
    played = [(cell.setting.noops, player(cell.setting, agent), cell.policy) for cell in cells]
    played += [(noops, "random", cell.random) for noops, cell in {cell.setting.noops: cell for cell in cells}.items()]
    rows = [_played(*setting) for setting in played]
    if len(env.games) > 1:
        rows += [
            _played(noops, f"{name}, {game}", part)
            for noops, name, episodes in played
            for game, part in episodes.by_game(env.games).items()
        ]
    columns = ["policy", "no-ops", "n", "return", "95 %", "clipped", "unfinished"]
    where = ", ".join(filter(None, (env.game, mode_of(env), levels)))
    print_table(f"Returns in {where}", columns, rows)
    columns = ["policy", "no-ops", "steps", "above random", "95 %", "normalised"]
    print_table("Compared", columns, [_compared(cell, env, agent) for cell in cells])


def print_errors(errors: Mapping[float, WorldModelErrors], context: int, levels: str) -> None:
    """Print the errors of the world model on some levels, in a table for each of its temperatures."""
    for temperature, found in errors.items():
        title = f"World model, {levels}"
        _print_errors(found, context, title if len(errors) == 1 else f"{title}, model temp. {temperature:g}")


def _print_errors(errors: WorldModelErrors, context: int, title: str) -> None:
    n = errors.reward_accuracy.n
    horizon = len(n)
    columns = sorted({1, *(max(1, int(horizon * part)) for part in (0.25, 0.5, 1))})
    curves: list[tuple[str, Curve | None, int]] = [
        ("vector error, model", errors.vector_error, 3),
        ("vector error, last one copied", errors.copy_vector_error, 3),
        ("image error, model", errors.image_error, 5),
        ("image error, last frame copied", errors.copy_image_error, 5),
        ("image error, reconstruction", errors.reconstruction_error, 5),
        ("image error, state alone", errors.state_image_error, 5),
        ("image error, state alone seeing", errors.state_reconstruction_error, 5),
        ("moving pixels, model", errors.moving_image_error, 5),
        ("moving pixels, last frame copied", errors.copy_moving_image_error, 5),
        ("moving pixels, reconstruction", errors.moving_reconstruction_error, 5),
        ("moving pixels, state alone", errors.moving_state_image_error, 5),
        ("moving pixels, state alone seeing", errors.moving_state_reconstruction_error, 5),
        ("reward right", errors.reward_accuracy, 3),
        ("... always the commonest", errors.constant_reward_accuracy, 3),
        ("sum of rewards right", errors.reward_sum_accuracy, 3),
        ("... sum of the commonest", errors.constant_reward_sum_accuracy, 3),
        ("continuation right", errors.continuation_accuracy, 3),
        ("... always goes on", errors.constant_continuation_accuracy, 3),
    ]
    rows = [[label, *(number(curve.mean[h - 1], digits) for h in columns)] for label, curve, digits in curves if curve]
    rows.append(["windows", *(str(n[h - 1]) for h in columns)])
    caption = (
        f"{_found(errors.uncommon_rewards_found, errors.uncommon_rewards)} uncommon rewards and "
        f"{_found(errors.ends_found, errors.ends)} ends of episodes were predicted."
    )
    print_table(title, [f"after {context} frames", *(f"{h} ahead" for h in columns)], rows, caption)
    if errors.foresight:
        _print_foresight(errors.foresight, title)


def _print_foresight(foresight: EventForesight, title: str) -> None:
    rows = [
        [
            name,
            number(getattr(foresight, f"{event}_average_precision")),
            number(getattr(foresight, f"{event}_base_rate"), 3),
            number(getattr(foresight, f"{event}_ratio")),
        ]
        for name, event in (
            ("rewards", "reward"),
            ("ends of episodes", "end"),
            ("ends without a reward", "unrewarded_end"),
        )
    ]
    columns = [f"1 to {STEPS} ahead", "average precision", "base rate", "predicted over true"]
    print_table(f"{title}: foreseen from {foresight.starts} starts", columns, rows)


def print_knowledge(knowledge: Knowledge, levels: str) -> None:
    """Print which variables of the game linear probes read from the model's features."""
    ahead = [f"{h} ahead" for h in knowledge.horizons]
    rows = [
        [f"{name}, {unit}", *(number(value) for value in (seen, *predicted, kept[-1]))]
        for (name, unit), seen, predicted, kept in zip(
            knowledge.units.items(), knowledge.seen, knowledge.ahead, knowledge.kept, strict=True
        )
        if math.isfinite(seen)
    ]
    caption = (
        "The share of each variable's variance that a linear probe explains; below 0 is worse than always saying the "
        f"mean. Kept: saying {knowledge.horizons[-1]} steps ahead that it stays as it is."
    )
    print_table(f"What the model knows, {levels}", ["variable", "seen", *ahead, "kept"], rows, caption)


def print_action_effects(effects: ActionEffects, levels: str) -> None:
    """Print whether the model knows what actions do."""
    rows = [
        ["of what actions change in the frame, the model reproduces", number(effects.reproduced)],
        [f"of {effects.pairs} pairs with other rewards, it ranks right", number(effects.ranked)],
    ]
    title = f"Every action held for {effects.steps} steps from {effects.states} moments, {levels}"
    print_table(title, ["share", ""], rows)


def print_imagined(results: Sequence[ImaginedResult], levels: str) -> None:
    """Print the figures of the policy in the model beside those of the same policy in the real world."""
    rows = []
    for result in results:
        play = result.play
        name = f"temp. {result.temperature:g}, model {result.model_temperature:g}"
        rows.append([name, "in the model", *_play_figures(play.imagined_return, play.imagined_alive)])
        rows.append(["", "really", *_play_figures(play.real_return, play.real_alive)])
        gap = play.difference
        rows.append(["", "difference", f"{gap.mean:+.2f} ({number(gap.low)} to {number(gap.high)})", "", ""])
        rows.append(["", "correlation", number(play.correlation), "", ""])
    horizon, starts = len(results[0].play.real_return.n), len(results[0].windows.action)
    columns = ["policy", "", "return", "per step", "ended"]
    print_table(f"The policy for {horizon} steps from {starts} starts, {levels}", columns, rows)


def _play_figures(returns: Curve, alive: Curve) -> list[str]:
    return [number(returns.mean[-1]), number(reward_per_step(returns, alive), 4), number(1 - alive.mean[-1], 3)]


OVER_STEPS = (
    "return",
    "return_clipped",
    "planner_return",
    "planner_return_clipped",
    "image_error_at_",
    "reward_average_precision",
    "end_average_precision",
    "unrewarded_end_average_precision",
    "reward_sum_accuracy_at_",
    "imagined_return_at_",
    "real_return_at_",
)
"""The columns of a table of many checkpoints: metrics `eval/...` of these names, or beginnings of names."""


def print_checkpoints(rows: Mapping[int, Mapping[str, float]]) -> None:
    """Print a few figures of each checkpoint, a line each.

    Args:
        rows: metrics by step.
    """
    names = dict.fromkeys(name for values in rows.values() for name in values if _over_steps(name))
    lines = [[f"{step:,}", *(number(values.get(n, math.nan), 4) for n in names)] for step, values in rows.items()]
    titles = [name.removeprefix("eval/").replace("_", " ") for name in names]
    print_table("All checkpoints", ["step", *titles], lines)


def _over_steps(name: str) -> bool:
    short = name.removeprefix("eval/")
    return any(short == chosen or (chosen.endswith("_") and short.startswith(chosen)) for chosen in OVER_STEPS)


def player(setting: GridSetting, agent: str = "policy") -> str:
    """Return who played a cell, in few words: "temp. 0.5", "planner, temp. 1, model 0.5"."""
    if agent == "random":
        return "random again"
    name = f"temp. {setting.temperature:g}" if setting.temperature else "greedy"
    if setting.model_temperature is None:
        return name
    return f"{agent}, {name}, model {setting.model_temperature:g}"


def number(value: float, digits: int = 2) -> str:
    """Return a number as it stands in a table; "?" for one that is not known."""
    return "?" if math.isnan(value) else f"{value:.{digits}f}"


def _noops(count: int) -> str:
    return f"1 to {count}" if count else "0"


def _played(noops: int, name: str, episodes: Episodes) -> list[str]:
    result, clipped = episodes.estimate(), episodes.clipped_estimate()
    interval = f"{number(result.low)} to {number(result.high)}"
    numbers = [str(result.n), number(result.mean), interval, number(clipped.mean), str(episodes.unfinished)]
    return [name, _noops(noops), *numbers]


def _compared(cell: Cell, env: EnvConfig, agent: str) -> list[str]:
    result = cell.advantage()
    interval = f"{number(result.low)} to {number(result.high)}"
    normalised = normalised_return(env.game, env.distribution_mode, cell.policy.estimate().mean)
    scaled = "" if normalised is None else number(normalised, 3)
    steps = f"{cell.policy.lengths.mean():.0f}"
    return [player(cell.setting, agent), _noops(cell.setting.noops), steps, f"{result.mean:+.2f}", interval, scaled]


def _found(share: float, count: int) -> str:
    return f"{round(share * count)} of {count}" if count else "0 of 0"
