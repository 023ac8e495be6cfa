"""The commands plot, which draws curves of runs, and report, which writes one page about them."""

from __future__ import annotations

import argparse
from pathlib import Path

from worldmodels.cli.arguments import add_grouping
from worldmodels.core.errors import UserError
from worldmodels.core.output import print_text

BY_TASK = ("tasks", "methods", "aggregate")
VIEWS = {
    **dict.fromkeys(("x", "xlim", "smooth"), ("values", *BY_TASK)),
    **dict.fromkeys(("value", "export"), ("values", *BY_TASK, "generalisation")),
    "est": ("values", "tasks", "methods", "generalisation"),
    "count": ("values",),
    "tasks": (*BY_TASK, "seeds"),
    **dict.fromkeys(("normalize", "columns"), BY_TASK),
    **dict.fromkeys(("scores", "baselines"), ("tasks", "aggregate")),
    "statistics": ("aggregate",),
}
"""The views in which an option has an effect."""


def add_plot(commands: argparse._SubParsersAction) -> None:
    """Add the command that plots runs."""
    command = commands.add_parser(
        "plot",
        help="plot recorded values of runs: a line for each configuration, a panel for each value or task",
        description="Draw learning curves. Runs that differ only in their seed are one line: their mean, with a pale "
        "band for its 95 % interval over seeds. Views by task show methods in several games.",
    )
    command.add_argument(
        "paths", nargs="+", metavar="RUN", help="run folders, folders of runs, or the beginnings of their names"
    )
    command.add_argument(
        "--view",
        choices=("values", "tasks", "methods", "aggregate", "seeds", "generalisation"),
        default="values",
        help="the panels: values, one for each value; tasks, one for each task with a line for each method; methods, "
        "one for each method with a line for each task. Also aggregate, one for each statistic over all tasks; seeds, "
        "bars of the number of seeds; generalisation, test levels over the number of training levels "
        "(default: %(default)s)",
    )
    _add_values(command)
    _add_runs(command)
    _add_tasks(command)
    command.add_argument(
        "--save", metavar="FILE", help="the picture to write (default: curves.png, or curves_2.png and so on)"
    )
    command.add_argument("--export", metavar="FILE", help="also write a CSV table of the curves")
    command.set_defaults(run=_plot)


def _add_values(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--value",
        nargs="+",
        metavar="NAME",
        help="recorded values, one panel each; performance is eval/return if it was recorded, else episode/return "
        "(default: episode/return; in views by task one value, performance; in generalisation return and model)",
    )
    command.add_argument(
        "--x",
        metavar="COUNTER",
        help="the horizontal axis: step, model/updates, policy/updates, or time in hours (default: step)",
    )
    command.add_argument("--xlim", nargs=2, type=float, metavar=("FIRST", "LAST"), help="range of the horizontal axis")
    command.add_argument("--smooth", type=int, metavar="W", help="records to average over (default: an eighth of them)")
    command.add_argument(
        "--est",
        metavar="ESTIMATOR",
        help="the estimator over seeds: mean, median, iqm (interquartile mean), min or max (default: mean)",
    )


def _add_runs(command: argparse.ArgumentParser) -> None:
    command.add_argument("--count", action="store_true", default=None, help="draw one line for each run")
    add_grouping(command, "line", "RUN")


def _add_tasks(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("views by task")
    group.add_argument("--tasks", nargs="+", metavar="GAME", help="these tasks, in this order (default: all)")
    group.add_argument(
        "--normalize",
        metavar="SCALE",
        help="scale returns to 0 at one reference score and 1 at another: human (random and human play of Atari), "
        "range (Procgen's published ranges), a YAML file of scores, or none (default: none)",
    )
    group.add_argument(
        "--baselines",
        nargs="+",
        metavar="NAME",
        help="reference scores to draw as dashed lines, for example random human",
    )
    group.add_argument(
        "--scores",
        metavar="FILE",
        help="a YAML file with the scores of --baselines (default: the file of --normalize, or the package's)",
    )
    group.add_argument(
        "--statistics",
        nargs="+",
        metavar="NAME",
        help="the statistics over tasks: mean, median, iqm, record_mean, clipped_record_mean, above_human, below_human "
        "(default: all whose reference scores are known)",
    )
    group.add_argument("--columns", type=int, metavar="N", help="panels in a row")


def _plot(options: argparse.Namespace) -> None:
    for name, views in VIEWS.items():
        if getattr(options, name) is not None and options.view not in views:
            raise UserError(f"--{name} has no effect in --view {options.view}. It has in {', '.join(views)}.")
    if options.scores is not None and options.view == "tasks" and options.baselines is None:
        raise UserError("--scores has no effect in --view tasks without --baselines: give these too, or leave it out.")
    if options.count and options.group == "path":
        raise UserError(
            "--count draws a line for each run, and --group path one for each given path: leave out one of them."
        )
    options.save = options.save or str(_free(Path("curves.png")))
    print_text(_draw(options))
    if options.export is not None:
        print_text(options.export)


def _free(path: Path) -> Path:
    """Return a path where nothing is yet: this one, or one with the first free number."""
    names = [path.name, *(f"{path.stem}_{number}{path.suffix}" for number in range(2, 10_000))]
    return next(path.with_name(name) for name in names if not path.with_name(name).exists())


def _draw(options: argparse.Namespace) -> object:
    from worldmodels.analysis.plots.learning_curves import TaskView, plot_runs, plot_tasks
    from worldmodels.analysis.plots.panels import DEFAULT, CurveOptions
    from worldmodels.analysis.runs.groups import Grouping

    grouping = Grouping(options.select, options.exclude, "run" if options.count else options.group, options.legend)
    limits = tuple(options.xlim or DEFAULT.limits)
    curves = CurveOptions(options.x or DEFAULT.x, options.smooth, options.est or DEFAULT.estimator, limits)
    if options.view == "values":
        values = options.value or ["episode/return"]
        return plot_runs(options.paths, values, curves, grouping, options.save, options.export)
    if options.view == "generalisation":
        from worldmodels.analysis.plots.generalisation import plot_generalisation

        estimator = options.est or DEFAULT.estimator
        return plot_generalisation(
            options.paths, options.value or (), estimator, grouping, options.save, options.export
        )
    values = options.value or ["performance"]
    if len(values) > 1:
        raise UserError(f"A view by task shows one value; received {len(values)}: {', '.join(values)}.")
    view = TaskView(
        options.view,
        values[0],
        options.tasks or (),
        options.normalize or "none",
        options.scores,
        options.baselines or (),
        options.statistics or (),
        options.columns,
    )
    return plot_tasks(options.paths, view, curves, grouping, options.save, options.export)


def add_report(commands: argparse._SubParsersAction) -> None:
    """Add the command that writes a report of runs."""
    command = commands.add_parser(
        "report",
        help="write one HTML page about runs: tables, curves, statistics with intervals, films",
        description="Write one page that a browser opens offline: returns with intervals, performance profiles, "
        "probabilities of improvement, curves, errors of the world models, settings, films, and failed runs.",
    )
    command.add_argument(
        "paths",
        nargs="+",
        metavar="GRID",
        help="folders or files of grids, folders of runs, or the beginnings of their names",
    )
    command.add_argument("--save", metavar="FILE", help="the page to write (default: report.html in the grid's folder)")
    command.add_argument("--films", action="store_true", help="put films into the page instead of links to them")
    command.add_argument(
        "--normalize",
        metavar="SCALE",
        help="none, human, range or a file of scores (default: the published scale that covers all games)",
    )
    command.add_argument(
        "--at",
        type=int,
        metavar="STEP",
        help="the step at which returns are compared (default: the end of finished runs)",
    )
    add_grouping(command, "variant", "GRID")
    command.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> None:
    from worldmodels.analysis.report.contents import ReportRequest
    from worldmodels.analysis.runs.groups import Grouping
    from worldmodels.experiments.grid import find_grids
    from worldmodels.experiments.run_report import command_text, default_place, report_runs

    words = [*options.paths]
    for name in ("save", "normalize", "at"):
        words += [f"--{name}", str(value)] if (value := getattr(options, name)) is not None else []
    words += ["--films"] * options.films + ["--group", "path"] * (options.group == "path")
    for name in ("legend", "select", "exclude"):
        words += [f"--{name}", *value] if (value := getattr(options, name)) else []
    grids = find_grids(options.paths)
    paths = [grids[path].folder if path in grids else path for path in options.paths]
    save = Path(options.save) if options.save else default_place(paths)
    grouping = Grouping(options.select, options.exclude, options.group, options.legend)
    request = ReportRequest(paths, save, grouping, options.normalize, options.at, options.films, command_text(words))
    print_text(report_runs(request, list(grids.values())))
