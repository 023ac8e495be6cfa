"""Runs `worldmodels shift`: which distribution shift breaks a run's policy, and which its world model.

Judges the effect of each shift, compared with training, and makes the table: for the terminal, as Markdown and as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worldmodels.analysis.statistics.bootstrap import Estimate, difference
from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.configuration.sections import from_dict, to_dict
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.output import print_text
from worldmodels.core.seeding import Streams
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import Occasion, take
from worldmodels.evaluation.measures import table
from worldmodels.evaluation.measures.returns import RETURNS, Cell
from worldmodels.evaluation.measures.world_model import IMAGE_ERROR, IMAGE_STANDARD_ERROR
from worldmodels.evaluation.playing.policy_returns import Episodes
from worldmodels.evaluation.report.numbers import metrics_tree, number
from worldmodels.evaluation.result_files import ResultFiles, print_written
from worldmodels.evaluation.run import ENVIRONMENTS
from worldmodels.evaluation.shift.shifts import ShiftRequest, chosen_shifts
from worldmodels.loading.load import load_run
from worldmodels.telemetry.run_table import print_table

CAPTION = (
    "harms: worse than as in training, beyond chance; breaks: a policy no better than random play, a model whose "
    "images are no better than the last frame, copied. Return: ± its 95 % interval. Image: error as a share of "
    "copying's; rewards and ends: how well they are foreseen, chance 0 and perfection 1; known: the share of the "
    "game's variables that probes read."
)


def evaluate_shifts(request: ShiftRequest) -> Path:
    """Play a run in all environments, print the table, write it into the run's folder, and return the JSON's path.

    Raises:
        UserError: as in `chosen_shifts`; or there is no such checkpoint, or a setting is out of range.
    """
    shifts, wanted = chosen_shifts(request), request.evaluation
    run = load_run(wanted.path, wanted.step)
    chosen = {**to_dict(run.config.evaluation), **wanted.settings}
    settings = from_dict(EvaluationConfig, chosen, "the evaluation's settings")
    streams = Streams(Streams(wanted.seed).integer("evaluation"))
    evaluator = Evaluator(run.parts, settings, streams, ENVIRONMENTS)
    try:
        plays = {}
        for shift in shifts:
            print_text(f"Playing {shift.name}")
            evaluator.use_env(shift.env)
            plays[shift.name] = _play(evaluator)
    finally:
        evaluator.close()
    titles = _titles()
    columns, rows = shift_columns(plays, titles, settings.horizon), shift_rows(plays, titles)
    title = f"Distribution shifts of {run.run_dir.path.name}, step {run.step:,}"
    print_table(title, columns, rows, CAPTION)
    trees = [{**tree, "env": to_dict(shift.env)} for tree, shift in zip(shifts_tree(plays), shifts, strict=True)]
    files = ResultFiles(run.run_dir, wanted, settings, run.config.env)
    result = files.write_json(f"shifts_{run.step:08d}", {"step": run.step, "shifts": trees})
    write_atomic(table := result.with_suffix(".md"), f"{as_markdown(title, columns, rows)}\n{CAPTION}\n")
    print_written([result, table])
    return result


def _play(evaluator: Evaluator) -> ShiftedPlay:
    """Take the measures of a shift in the environment in use, the returns under the first setting of the grid."""
    cells: list[Cell] = []
    figures = dict.fromkeys(_titles(), math.nan)
    for measure, found in take(table.MEASURES, evaluator, Occasion("shift")):
        if measure is RETURNS:
            cells = found.cells
        figures |= measure.shift(found)
    _, policy, at_random, _ = cells[0]
    return ShiftedPlay(policy, at_random, figures if evaluator.spec.imagines else None)


def _titles() -> dict[str, str]:
    """Return the titles of all figures of a shift, by name."""
    return {name: title for measure in table.MEASURES for name, title in measure.shift_columns.items()}


NORMAL = 1.959963984540054
"""The standard errors between a mean and the end of its 95 % interval, in a normal distribution."""


class ShiftedPlay(NamedTuple):
    """The play of a run in one environment."""

    policy: Episodes
    random: Episodes
    """The episodes of the random policy on the same levels."""
    model: Mapping[str, float] | None
    """The figures of the world model by name, NaN if not measured; None for a run without one."""


def lost_return(shifted: ShiftedPlay, training: ShiftedPlay) -> Estimate:
    """Return by how much the mean return is higher than as in training, negative for a loss."""
    return difference(shifted.policy.returns, training.policy.returns)


def policy_verdict(shifted: ShiftedPlay, training: ShiftedPlay) -> str:
    """Return the effect of a shift on the policy.

    "breaks": it is not better than random play, beyond chance. "harms": its return is lower than as in training, beyond
    chance. "-": neither.
    """
    if not difference(shifted.policy.returns, shifted.random.returns).low > 0:
        return "breaks"
    return "harms" if lost_return(shifted, training).high < 0 else "-"


def model_verdict(shifted: Mapping[str, float] | None, training: Mapping[str, float] | None) -> str:
    """Return the effect of a shift on the world model.

    "breaks": its images are not better than the last frame, copied, beyond chance. "harms": their error is a larger
    share of copying's than as in training, beyond chance. "-": neither. "?": no images were measured. "": no model.
    """
    if shifted is None or training is None:
        return ""
    error, standard_error = shifted[IMAGE_ERROR], shifted[IMAGE_STANDARD_ERROR]
    if math.isnan(error) or math.isnan(training[IMAGE_ERROR]):
        return "?"
    if not error + NORMAL * standard_error < 1:
        return "breaks"
    gap = error - training[IMAGE_ERROR]
    return "harms" if gap > NORMAL * math.hypot(standard_error, training[IMAGE_STANDARD_ERROR]) else "-"


Plays = Mapping[str, ShiftedPlay]
"""The plays by the name of the shift; the first is as in training."""


def shift_columns(plays: Plays, titles: Mapping[str, str], horizon: int) -> list[str]:
    """Return the titles of the columns; those of the model only if there is one.

    Args:
        titles: the titles of the model's figures; see `Measure.shift_columns`.
    """
    columns = ["shift", "policy", "return", "random"]
    if any(play.model for play in plays.values()):
        columns += ["model", *(title.format(horizon=horizon) for title in titles.values() if title)]
    return columns


def shift_rows(plays: Plays, titles: Mapping[str, str]) -> list[list[str]]:
    """Return a row of texts for each shift."""
    training = next(iter(plays.values()))
    rows = []
    for name, play in plays.items():
        found, at_random = play.policy.estimate(), play.random.estimate()
        verdict = "" if play is training else policy_verdict(play, training)
        row = [name, verdict, f"{number(found.mean)} ± {number(found.high - found.mean)}", number(at_random.mean)]
        if play.model is not None:
            verdict = "" if play is training else model_verdict(play.model, training.model)
            figures = [play.model[name] for name, title in titles.items() if title]
            row += [verdict, *("> 99" if figure > 99 else number(figure) for figure in figures)]
        rows.append(row)
    return rows


def as_markdown(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown under its title."""
    lines = [columns, ["---"] * len(columns), *rows]
    return f"# {title}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def shifts_tree(plays: Plays) -> list[dict[str, Any]]:
    """Return the plays for JSON, each with its difference from the first; numbers that are not known are null."""
    training = next(iter(plays.values()))
    return [
        {
            "shift": name,
            "policy": _episodes_tree(play.policy),
            "random": _episodes_tree(play.random),
            "return_over_training": None if play is training else metrics_tree(lost_return(play, training)._asdict()),
            "policy_verdict": None if play is training else policy_verdict(play, training),
            "model": None if play.model is None else metrics_tree(play.model),
            "model_verdict": None if play is training else model_verdict(play.model, training.model) or None,
        }
        for name, play in plays.items()
    ]


def _episodes_tree(episodes: Episodes) -> dict[str, Any]:
    found = metrics_tree(episodes.estimate()._asdict())
    return {**found, "unfinished": episodes.unfinished, "mean_length": float(episodes.lengths.mean())}
