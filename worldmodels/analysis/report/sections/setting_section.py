"""The section of settings: those in which variants differ, and those that all share."""

from __future__ import annotations

from worldmodels.analysis.report.contents import Contents
from worldmodels.analysis.report.curve_chart import variant
from worldmodels.analysis.report.markup import Child, Markup, breakable, element, joined
from worldmodels.analysis.report.numbers import counted
from worldmodels.analysis.report.tables import scrolling_table
from worldmodels.analysis.runs.task_runs import BESIDE_METHOD

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
