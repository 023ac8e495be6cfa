"""Writes the pages of the configuration's keys, from the classes that `worldmodels config` prints."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from site_pages.markdown import prose, value_text
from site_pages.preset_changes import Changes, preset_changes
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.ranges import annotations_of
from worldmodels.core.configuration.sections import fields_of, kinds_of
from worldmodels.core.configuration.text import facts, key_docs
from worldmodels.core.configuration.values import union_members

FOLDER = "reference/configuration"
INTRODUCTION = """# Configuration

A run is described by keys such as `agent.horizon`. Each has a default; a [preset](../presets.md) or a file of your own
changes some of them, and so does the command line:

```
worldmodels train --config dreamer_small agent.horizon=20 --logdir runs/long
worldmodels config dreamer_small               # all keys of a preset, with these texts
worldmodels config --diff dreamer demo         # the differences of two presets
```

The pages name the type, the default and the range of each key, and the presets that set it. A section with several
kinds, such as `model`, has a page for each; the key `kind` chooses one.
"""
MISSING = dataclasses.MISSING
_NAMES: dict[Any, str] = {int: "integer", float: "number", str: "text", bool: "true or false", type(None): "null"}
_PLURALS: dict[Any, str] = {int: "integers", float: "numbers", str: "texts"}


class Section(NamedTuple):
    """A section of the configuration."""

    path: str
    cls: Any
    about: str
    """The meaning of the section, of the field that holds it and of its class."""
    default: Any
    """The section's instance where nothing is set; None for a section that is left out, or of another kind."""
    kinds: tuple[str, ...]
    """The kinds that it can have; one of them has this class."""


def pages() -> dict[str, str]:
    """Return the text of each page by its place in the site: one for each section, and for each of its kinds."""
    changes = preset_changes()
    top = Section("", RunConfig, "", RunConfig(), ())
    found, index = {}, [INTRODUCTION]
    for section in sections_in(top):
        name = f"{section.path}_{section.cls.kind}.md" if len(section.kinds) > 1 else f"{section.path}.md"
        found[f"{FOLDER}/{name}"] = "\n".join([f"# {title(section)}\n", *section_text(section, changes)])
        index.append(f"- [{title(section)}]({name}): {prose(section.about)}")
    index += ["\n## Keys of no section\n", *key_entries(top, changes)]
    return {f"{FOLDER}/index.md": "\n".join(index), **found}


def section_text(section: Section, changes: Changes, heading: str = "##") -> Iterator[str]:
    """Yield the lines of a section: its meaning, its keys below a heading each, then the sections in it."""
    if section.about:
        yield prose(section.about) + "\n"
    yield from key_entries(section, changes, heading)
    for inner in sections_in(section):
        yield f"## {title(inner)}\n"
        yield from section_text(inner, changes, "###")


def title(section: Section) -> str:
    """Return the full name of a section, with its kind if it has several."""
    return f"{section.path}: {section.cls.kind}" if len(section.kinds) > 1 else section.path


def key_entries(section: Section, changes: Changes, heading: str = "###") -> Iterator[str]:
    """Yield the lines of the keys of a section that are no sections, each below a heading."""
    annotations, hints = annotations_of(section.cls), typing.get_type_hints(section.cls)
    for name, field in fields_of(section.cls).items():
        if kinds_of(field, hints[name]):
            continue
        path = joined(section.path, name)
        about = f"{key_docs(section.cls).get(name, '')} {facts(annotations[name])}"
        if name == "kind":
            about = f"{about} One of {', '.join(section.kinds)}."
        default = default_of(field, section.default)
        yield f"{heading} `{path}`\n"
        shown = "no default" if default is MISSING else f"default `{value_text(default)}`"
        yield f"{type_text(hints[name]).capitalize()}, {shown}.\n"
        yield prose(" ".join(about.split())) + "\n"
        yield from presets_line(changes.get((path, section.cls), []))


def presets_line(changed: list[tuple[str, Any]]) -> Iterator[str]:
    """Yield the presets that set a key, each with its value and a link."""
    if changed:
        links = (f"[{name}](../presets.md#{name}) `{value_text(value)}`" for name, value in changed)
        yield f"Set by {', '.join(links)}.\n"


def sections_in(section: Section) -> Iterator[Section]:
    """Yield the sections in a section: one for each kind that it can have."""
    hints, docs = typing.get_type_hints(section.cls), key_docs(section.cls)
    for name, field in fields_of(section.cls).items():
        kinds = kinds_of(field, hints[name])
        default = default_of(field, section.default)
        for cls in kinds.values():
            about = f"{docs.get(name, '')} {inspect.getdoc(cls) or ''}"
            if default is None:
                about += " Left out by default."
            own = default if type(default) is cls else None
            yield Section(joined(section.path, name), cls, " ".join(about.split()), own, tuple(kinds))


def default_of(field: dataclasses.Field[Any], section: Any) -> Any:
    """Return the default of a field in a section that is there by default, else in any section of the field's class."""
    if section is not None:
        return getattr(section, field.name)
    return field.default_factory() if field.default_factory is not MISSING else field.default


def type_text(hint: Any) -> str:
    """Return the type of a key in words."""
    members = union_members(hint)
    if set(members) == {float, str}:
        return "number or schedule"
    if len(members) > 1:
        return " or ".join(map(type_text, members))
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return "choice"
    if origin is tuple:
        return f"list of {_PLURALS.get(arguments[0], 'choices')}"
    return _NAMES.get(hint, "mapping")


def joined(path: str, key: str) -> str:
    """Return the full name of a key of a section."""
    return f"{path}.{key}" if path else key
