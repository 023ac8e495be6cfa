"""Writes texts of the code as Markdown."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

_CODE_OR_MARK = re.compile(r"`[^`]*`|[*_<\[\]]")


def prose(text: str) -> str:
    """Return a text of a docstring or of a command's help; marks of Markdown outside of code lose their meaning."""
    return _CODE_OR_MARK.sub(lambda match: match[0] if len(match[0]) > 1 else f"\\{match[0]}", text)


def value_text(value: Any) -> str:
    """Return a value of a configuration as it stands in YAML, on one line."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if dataclasses.is_dataclass(value):
        return value_text({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {value_text(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return f"{value:_}" if isinstance(value, int) else str(value) or '""'
