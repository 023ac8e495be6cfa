"""Makes and writes the page of a report: one file of HTML with its style inside, which loads nothing."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from worldmodels.analysis.report.contents import Contents, ReportRequest, RunCondition, read_contents
from worldmodels.analysis.report.html import Child, Markup, counted, element, joined
from worldmodels.analysis.report.results import read_results
from worldmodels.analysis.report.sections.foresight import foresight
from worldmodels.analysis.report.sections.returns import return_parts
from worldmodels.analysis.report.sections.runs import (
    film_gallery,
    incomplete_runs,
    run_table,
    setting_tables,
    states_text,
)
from worldmodels.core.errors import UserError
from worldmodels.core.files.writing import make_folder, write_atomic

STYLE = Path(__file__).with_name("page.css")
RETURNS = {"performance": "Return", "eval/test_return": "Return on test levels"}
"""The returns that have a section, by what is recorded."""


def page_of(contents: Contents, request: ReportRequest) -> str:
    """Return the page of a report."""
    title = ", ".join(Path(path).resolve().name for path in request.paths)
    sections = list(_sections(contents, request))
    links = element("nav", [element("a", name, " ", href=f"#{_anchor(name)}") for name, _ in sections])
    body = [element("section", element("h2", name), content, id=_anchor(name)) for name, content in sections]
    foot = element("footer", "Made by ", element("code", request.command)) if request.command else None
    main = element("main", element("h1", title), _summary(contents), links, body, foot)
    return "<!DOCTYPE html>\n" + element("html", _head(title), element("body", main), lang="en") + "\n"


def _sections(contents: Contents, request: ReportRequest) -> Iterator[tuple[str, Child]]:
    """Yield the name and the content of each section that has any."""
    if contents.notes:
        yield "Notes", element("ul", [element("li", note) for note in contents.notes], class_="notes")
    if (incomplete := incomplete_runs(contents, request)) is not None:
        yield "Not complete", incomplete
    if not contents.metrics:
        yield "Results", element("p", "No run has recorded anything, so there are no results.", class_="warning")
        return
    results = {name: read_results(contents, name, request.at) for name in RETURNS}
    for name, found in results.items():
        if found is not None:
            yield RETURNS[name], list(return_parts(found, request))
    if results["performance"] is None:
        yield "Return", element("p", "No run has recorded a return, so there is nothing to compare.", class_="warning")
    if (foreseen := foresight(contents)) is not None:
        yield "What the world model foresees", foreseen
    if (films := film_gallery(contents, request)) is not None:
        yield "Films", films
    yield "Settings", setting_tables(contents)
    yield "Runs", run_table(contents, results["performance"], request)


def _summary(contents: Contents) -> Markup:
    found = contents.found
    what = f" of {counted(len(found.methods), 'variant')} in {counted(len(found.tasks), 'task')}" * bool(found.tasks)
    return element("p", counted(len(contents.conditions), "run"), what, ": ", states_text(contents), ".")


def _head(title: str) -> Markup:
    style = STYLE.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    loaded = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; media-src data:"
    policy = f"{loaded}; base-uri 'none'; form-action 'none'"
    metas = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<link rel="icon" href="data:,">'
    )
    return element("head", Markup(metas), element("title", title), joined(Markup(f"<style>{style}</style>")))


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def write_report(request: ReportRequest, conditions: Mapping[Path, RunCondition]) -> Path:
    """Write a report and return its path. The same runs and the same request give the same bytes.

    Args:
        conditions: of runs by their folders, also of those that recorded nothing; of the others none is known.

    Raises:
        RunError: there are no such runs, or none can be read.
        UserError: the request cannot be met, or something that is no file stands where the page belongs.
    """
    check_place(request.save)
    if request.at is not None and request.at < 0:
        raise UserError(f"Returns are compared at a step of 0 or more; received {request.at}.")
    text = page_of(read_contents(request, conditions), request)
    make_folder(request.save.parent)
    # Names of folders may hold what is no text.
    write_atomic(request.save, text.encode(errors="backslashreplace"))
    return request.save


def check_place(path: Path) -> None:
    """Raise UserError where something other than a file stands at a path, or its name is not that of a page."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise UserError(f"A report is a page, and its name ends with .html; received '{path}'.")
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        kind = "a link" if path.is_symlink() else "a folder" if path.is_dir() else "a pipe or a device"
        raise UserError(f"'{path}' is {kind}, and a report replaces nothing but a file. Choose another --save.")
