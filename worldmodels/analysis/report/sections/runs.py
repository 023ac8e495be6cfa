"""Shows the runs of a report: their state, what is missing, and the settings of each variant.

Makes the section of films: the newest film of each kind, of one run of each variant in each task.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from worldmodels.analysis.report.charts import swatch, variant
from worldmodels.analysis.report.contents import COMPLETE, STATES, Contents, ReportRequest
from worldmodels.analysis.report.html import (
    Child,
    Markup,
    breakable,
    counted,
    element,
    joined,
    link,
    rounded,
    scrolling_table,
)
from worldmodels.analysis.report.results import Results
from worldmodels.analysis.runs.groups import SEED, short_paths
from worldmodels.analysis.runs.reference_scores import BESIDE_METHOD
from worldmodels.core.errors import UserError
from worldmodels.core.files.writing import read_regular

LARGEST = 200_000_000
"""Bytes of films in a page at most; browsers give up somewhat above."""


class FilmFile(NamedTuple):
    """A film of a run."""

    kind: str
    """Its name without the step: `policy`, `prediction`."""
    path: Path


def films_of(run: Path) -> list[FilmFile]:
    """Return the newest film of each kind, by kind; steps in their names count as numbers."""
    newest: dict[str, tuple[int, Path]] = {}
    for path in sorted((run / "videos").glob("*.mp4")):
        if path.is_file() and (match := re.fullmatch(r"(.+?)_?(\d{6,})(.*)", path.stem)):
            kind, step = f"{match[1]}{match[3]}", int(match[2])
            newest[kind] = max(newest.get(kind, (-1, path)), (step, path))
    return [FilmFile(kind, path) for kind, (_, path) in sorted(newest.items())]


def film_gallery(contents: Contents, request: ReportRequest) -> Markup | None:
    """Return the films inside the page where the request says so, else links to them; None where there are none.

    Raises:
        UserError: there are too many bytes of them for a page.
    """
    shown = list(_shown(contents))
    if not shown:
        return None
    size = sum(film.path.stat().st_size for _, _, films in shown for film in films)
    if request.films and size > LARGEST:
        raise UserError(
            f"The {counted(sum(len(films) for *_, films in shown), 'film')} are {size / 1e6:,.0f} MB, and a page takes "
            f"{LARGEST / 1e6:,.0f} MB of them. Leave --films out, or choose runs by --select."
        )
    titles, several = contents.found.titles(), len(contents.found.tasks) > 1
    cards = []
    for method, run, films in shown:
        task = next(task for (number, task), runs in contents.found.runs.items() if number == method and run in runs)
        name = joined(variant(method, contents.found.methods[method]), f" · {titles[task]}" if several else None)
        cards += [_card(name, film, request) for film in films]
    return element("div", cards, class_="films" if request.films else "links")


def _shown(contents: Contents) -> Iterator[tuple[int, Path, list[FilmFile]]]:
    """Yield each variant in each task with the first of its runs that has films."""
    for (method, _), runs in contents.found.runs.items():
        if found := next(((run, films) for run in runs if (films := films_of(run))), None):
            yield method, *found


def _card(name: Markup, film: FilmFile, request: ReportRequest) -> Markup:
    caption = (name, ": ", link(film.path, film.kind.replace("_", " "), request.save))
    if not request.films:
        return element("p", *caption)
    data = base64.b64encode(read_regular(film.path)).decode()
    shown = element("video", controls="", loop="", preload="metadata", src=f"data:video/mp4;base64,{data}")
    return element("figure", shown, element("figcaption", *caption))


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


MOST_OPEN = 20
"""Settings in a table that is open; families of methods differ in a hundred."""


def setting_tables(contents: Contents) -> Markup:
    """Return a table of the settings in which runs differ, by variant, and a closed one of the others."""
    methods = range(len(contents.found.methods))
    keys = dict.fromkeys(key for own in contents.settings.values() for key in own if key not in BESIDE_METHOD)
    values = {key: [_values(contents, method, key) for method in methods] for key in keys}
    differing = {key: texts for key, texts in values.items() if len(set(texts)) > 1 or " / " in texts[0]}
    shared = [[breakable(key), texts[0]] for key, texts in values.items() if key not in differing]
    head = ["Setting", *(variant(method, contents.found.methods[method]) for method in methods)]
    table = scrolling_table(head, [[breakable(key), *texts] for key, texts in differing.items()]) if differing else None
    if len(differing) > MOST_OPEN:
        table = _folded(f"{counted(len(differing), 'setting')} in which variants differ", table)
    return joined(
        table,
        _folded(f"{counted(len(shared), 'setting')} that all share", scrolling_table(["Setting", "Value"], shared)),
    )


def _folded(title: str, table: Child) -> Markup:
    return element("details", element("summary", title), table)


def _values(contents: Contents, method: int, key: str) -> str:
    """Return the value of a setting in a variant; several, where its runs differ in it."""
    found = dict.fromkeys(contents.settings[run].get(key, "–") for run in contents.runs_of(method))
    return " / ".join(found)
