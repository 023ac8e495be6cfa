"""The command report, which writes one page about runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from worldmodels.cli.arguments import add_grouping


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
    from worldmodels.experiments.grid_paths import find_grids
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
    print(report_runs(request, list(grids.values())))
