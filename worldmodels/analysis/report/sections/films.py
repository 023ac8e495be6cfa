"""Makes the section of films: the newest film of each kind, of one run of each variant in each task."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from worldmodels.analysis.report.charts import variant
from worldmodels.analysis.report.contents import Contents, ReportRequest
from worldmodels.analysis.report.html import Markup, counted, element, joined, link
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
