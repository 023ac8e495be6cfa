"""Runs `worldmodels shift`: which distribution shift breaks a run's policy, and which its world model."""

from __future__ import annotations

import math
from pathlib import Path

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.configuration.sections import from_dict, to_dict
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.output import print_text
from worldmodels.core.seeding import Streams
from worldmodels.evaluation.evaluator import Evaluator
from worldmodels.evaluation.measure import Occasion, take
from worldmodels.evaluation.measures import table
from worldmodels.evaluation.measures.returns import RETURNS, Cell
from worldmodels.evaluation.result_files import ResultFiles, print_written
from worldmodels.evaluation.run import ENVIRONMENTS
from worldmodels.evaluation.shift.effects import ShiftedPlay, as_markdown, shift_columns, shift_rows, shifts_tree
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
    _, policy, at_random = cells[0]
    return ShiftedPlay(policy, at_random, figures if evaluator.spec.imagines else None)


def _titles() -> dict[str, str]:
    """Return the titles of all figures of a shift, by name."""
    return {name: title for measure in table.MEASURES for name, title in measure.shift_columns.items()}
