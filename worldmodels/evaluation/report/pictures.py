"""The results of an evaluation as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from worldmodels.analysis.plots.evaluation_plots import (
    HorizonCurve,
    StepCurve,
    plot_grid,
    plot_horizon,
    plot_over_steps,
)
from worldmodels.envs.config import EnvConfig
from worldmodels.evaluation.evaluator import ImaginedResult
from worldmodels.evaluation.measures.grid import Cell
from worldmodels.evaluation.measures.model_errors import Curve, WorldModelErrors
from worldmodels.evaluation.measures.policy_returns import Episodes
from worldmodels.evaluation.report.tables import player


def draw_grid(cells: Sequence[Cell], env: EnvConfig, agent: str, save: Path) -> Path:
    """Draw the grid as a heat map, a column for each temperature and one for the random policy; return the path."""
    noops = sorted({cell.setting.noops for cell in cells})
    lines = [[cell for cell in cells if cell.setting.noops == count] for count in noops]
    columns = ["random", *(player(cell.setting, agent) for cell in lines[0])]
    played = [[line[0].random, *(cell.policy for cell in line)] for line in lines]
    return plot_grid(
        [[episodes.estimate() for episodes in line] for line in played],
        [f"1 to {count} no-ops" if count else "no no-ops" for count in noops],
        columns,
        save,
        f"Return in {env.game}",
        [[_note(episodes) for episodes in line] for line in played],
    )


def draw_errors(errors: Mapping[float, WorldModelErrors], save: Path) -> Path:
    """Draw the errors and accuracies of a world model against the horizon; return the path.

    Args:
        errors: one or more, by the temperature of the model.
    """
    several, first = len(errors) > 1, next(iter(errors.values()))

    def curves(name: str, baseline: str, label: str) -> list[HorizonCurve]:
        if getattr(first, name) is None:
            return []
        lines = [
            _curve(f"model, temp. {temperature:g}" if several else "model", getattr(found, name))
            for temperature, found in errors.items()
        ]
        return [*lines, _curve(label, getattr(first, baseline), baseline=True)]

    commonest = "always the commonest"
    others = {"reconstruction": "reconstruction_error", "state alone": "state_image_error"}

    def images(prefix: str) -> list[HorizonCurve]:
        lines = curves(f"{prefix}image_error", f"copy_{prefix}image_error", "last frame copied")
        found = {label: getattr(first, prefix + name) for label, name in others.items()}
        return [*lines[:-1], *(_curve(label, curve) for label, curve in found.items() if curve), *lines[-1:]]

    chart = {
        "Image error, mean squared": images(""),
        "Image error of moving pixels": images("moving_"),
        "Vector error, in variances": curves("vector_error", "copy_vector_error", "last one copied"),
        "Reward accuracy": curves("reward_accuracy", "constant_reward_accuracy", commonest),
        "Reward sum accuracy": curves("reward_sum_accuracy", "constant_reward_sum_accuracy", commonest),
        "Continuation accuracy": curves("continuation_accuracy", "constant_continuation_accuracy", "always goes on"),
    }
    shown = {title: lines for title, lines in chart.items() if lines}
    return plot_horizon(shown, save, "World model on held-out experience", columns=2)


def draw_checkpoints(rows: Mapping[int, Mapping[str, float]], save: Path) -> Path:
    """Draw returns and errors against the step of the checkpoint; return the path.

    Args:
        rows: metrics by step.
    """
    names = dict.fromkeys(name.removeprefix("eval/") for values in rows.values() for name in values)

    def curve(name: str, label: str) -> StepCurve:
        points = {step: values[f"eval/{name}"] for step, values in rows.items() if f"eval/{name}" in values}
        return StepCurve(label, list(points), list(points.values()), name.startswith(_BASELINES))

    chart = {}
    for title, beginnings in _OVER_STEPS.items():
        lines = [name for name in names if name.startswith(beginnings) and not name.endswith(_HIDDEN)]
        if lines:
            chart[title] = [curve(name, name.replace("_", " ")) for name in lines]
    return plot_over_steps(chart, save, "All checkpoints")


_OVER_STEPS = {
    "Return": ("return", "random_return", "planner_return", "planner_random_return"),
    "Image error, mean squared": ("image_error_at", "copy_image_error_at"),
    "Image error of moving pixels": ("moving_image_error_at", "copy_moving_image_error_at"),
    "Average precision of what is foreseen": (
        "reward_average_precision",
        "reward_base_rate",
        "end_average_precision",
        "end_base_rate",
        "unrewarded_end_average_precision",
        "unrewarded_end_base_rate",
    ),
    "Reward sum accuracy": ("reward_sum_accuracy_at", "constant_reward_sum_accuracy_at"),
    "Return inside the model": ("imagined_return_at", "real_return_at"),
}
_BASELINES = (
    "random_",
    "planner_random_",
    "copy_",
    "constant_",
    "real_",
    "reward_base_rate",
    "end_base_rate",
    "unrewarded_end_base_rate",
)
_HIDDEN = ("_clipped", "_standard_error")


def draw_imagined(results: Sequence[ImaginedResult], save: Path) -> Path:
    """Draw returns and shares of episodes that go on, in the model and really, against the horizon; return the path."""
    chart: dict[str, list[HorizonCurve]] = {}
    for temperature in dict.fromkeys(result.temperature for result in results):
        group = [result for result in results if result.temperature == temperature]
        for title, imagined, real in (
            ("Return", "imagined_return", "real_return"),
            ("Episodes that go on", "imagined_alive", "real_alive"),
        ):
            lines = [
                _curve(
                    f"in the model, temp. {result.model_temperature:g}" if len(group) > 1 else "in the model",
                    getattr(result.play, imagined),
                )
                for result in group
            ]
            really = _curve("really", getattr(group[0].play, real))._replace(baseline=True)
            chart[f"{title}, policy temperature {temperature:g}"] = [*lines, really]
    return plot_horizon(chart, save, "The policy inside the model and in the real world", columns=2)


def _curve(label: str, curve: Curve, baseline: bool = False) -> HorizonCurve:
    return HorizonCurve(label, curve.mean, None if baseline else curve.standard_error, baseline)


def _note(episodes: Episodes) -> str:
    """Return the further line of a cell: the clipped return where it differs, and how many episodes were cut."""
    clipped = episodes.clipped_estimate().mean
    notes = [f"clipped {clipped:.2f}"] if clipped != episodes.estimate().mean else []
    notes += [f"{episodes.unfinished} unfinished"] if episodes.unfinished else []
    return ", ".join(notes)
