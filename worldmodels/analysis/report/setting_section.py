"""The section of settings: those in which variants differ, and those that all share."""

from __future__ import annotations

from worldmodels.analysis.report.contents import Contents
from worldmodels.analysis.report.curve_chart import swatch
from worldmodels.analysis.report.markup import Markup, element, joined
from worldmodels.analysis.report.numbers import counted
from worldmodels.analysis.report.tables import scrolling_table
from worldmodels.analysis.task_runs import BESIDE_METHOD


def setting_tables(contents: Contents) -> Markup:
    """Return a table of the settings in which runs differ, by variant, and a closed one of the others."""
    methods = range(len(contents.found.methods))
    keys = dict.fromkeys(key for own in contents.settings.values() for key in own if key not in BESIDE_METHOD)
    values = {key: [_values(contents, method, key) for method in methods] for key in keys}
    differing = {key: texts for key, texts in values.items() if len(set(texts)) > 1 or " / " in texts[0]}
    shared = [[key, texts[0]] for key, texts in values.items() if key not in differing]
    head = ["Setting", *(joined(swatch(method), " ", contents.found.methods[method]) for method in methods)]
    table = scrolling_table(head, [[key, *texts] for key, texts in differing.items()]) if differing else None
    summary = element("summary", f"{counted(len(shared), 'setting')} that all share")
    return joined(table, element("details", summary, scrolling_table(["Setting", "Value"], shared)))


def _values(contents: Contents, method: int, key: str) -> str:
    """Return the value of a setting in a variant; several, where its runs differ in it."""
    found = dict.fromkeys(contents.settings[run].get(key, "–") for run in contents.runs_of(method))
    return " / ".join(found)
