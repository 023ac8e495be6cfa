"""The sections of runs: those that need attention, and all of them with links to what they left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from worldmodels.analysis.report.contents import Contents
from worldmodels.analysis.report.curve_chart import swatch
from worldmodels.analysis.report.links import link
from worldmodels.analysis.report.markup import Child, Markup, breakable, element, joined
from worldmodels.analysis.report.numbers import rounded
from worldmodels.analysis.report.request import COMPLETE, STATES, ReportRequest
from worldmodels.analysis.report.results import Results
from worldmodels.analysis.report.sections.film_section import films_of
from worldmodels.analysis.report.tables import scrolling_table
from worldmodels.analysis.runs.run_groups import SEED, short_paths


def incomplete_runs(contents: Contents, request: ReportRequest) -> Markup | None:
    """Return the runs that are not complete by their state, with why they failed; None where all are complete."""
    left = {run: known for run, known in contents.conditions.items() if known.state not in COMPLETE}
    names = dict(zip(contents.conditions, short_paths(list(contents.conditions)), strict=True))
    parts: list[Markup] = []
    for state, words in STATES.items():
        if own := [run for run, known in left.items() if known.state == state]:
            parts.append(element("h3", f"{len(own)} {state} ", element("small", f"({words})")))
            parts += [_incomplete(run, names[run], left[run].reason, request) for run in own]
    return joined(*parts) if parts else None


def run_table(contents: Contents, results: Results | None, request: ReportRequest) -> Markup:
    """Return a table of all runs that could be read, with links to their folders, films, pictures and results."""
    titles = contents.found.titles()
    every = [run for runs in contents.found.runs.values() for run in runs]
    names = dict(zip(every, short_paths(every), strict=True))
    rows = []
    for (method, task), runs in contents.found.runs.items():
        for run in runs:
            series = [own for own in contents.metrics[run].values() if len(own.steps)]
            step = max((int(own.steps[-1]) for own in series), default=None)
            result = results.of_runs.get(run) if results else None
            rows.append(
                [
                    joined(swatch(method), " ", link(run, breakable(names[run]), request.save)),
                    titles[task],
                    contents.settings[run].get(SEED, "–"),
                    element("td", contents.conditions[run].state, class_=f"state {contents.conditions[run].state}"),
                    element("td", "–" if step is None else f"{step:,}", class_="number"),
                    element("td", rounded(result.value) if result else "–", class_="number"),
                    list(_files(run, request.save)),
                ]
            )
    return scrolling_table(["Run", "Task", "Seed", "State", "Last step", "Return", "Files"], rows)


def states_text(contents: Contents) -> str:
    """Return how many runs are in which state: "3 finished, 1 failed"."""
    states = Counter(known.state for known in contents.conditions.values())
    return ", ".join(f"{states[state]} {state}" for state in STATES if states[state])


def _incomplete(run: Path, name: str, reason: str, request: ReportRequest) -> Markup:
    title = link(run, breakable(name), request.save) if run.is_dir() else breakable(name)
    return joined(element("p", title, class_="run"), element("pre", reason) if reason else None)


def _files(run: Path, page: Path) -> Iterator[Child]:
    log = run.with_name(f"log_{run.name}.txt")
    found = [("configuration", run / "config.yaml"), ("log", log), ("evaluation", run / "eval")]
    for name, path in [*found, *((film.kind, film.path) for film in films_of(run))]:
        if path.exists():
            yield joined(link(path, name, page), " ")
