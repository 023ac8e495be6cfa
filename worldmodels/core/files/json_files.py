"""JSON is read strictly here, and checked against a frozen dataclass, whose annotations say what each key takes.

@dataclass(frozen=True)
class Header(Section):
    format: Positive
    shape: tuple[Positive, ...]
    note: str | None = None

header = read_json(folder / "header.json", Header)
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.configuration.values import received
from worldmodels.core.errors import ConfigError, FileError, shortened
from worldmodels.core.files.writing import read_regular
from worldmodels.core.files.yaml_files import LEVELS, TOO_DEEP, too_deep

T = TypeVar("T")

DIGITS = 100
"""An integer may have so many: more than any that is ours, and few enough for whatever is done with it."""


def read_json(path: Path | str, cls: type[T], allow_more: bool = False) -> T:
    """Return what a JSON file of a run's folder holds as the dataclass `cls`; see `parse_json`.

    Raises:
        FileError: the file is a link or cannot be read, or its content is not as it must be.
        FileNotFoundError: there is no such file.
    """
    return parse_json(read_regular(path), cls, f"'{path}'", allow_more)


def parse_json(text: str | bytes, cls: type[T], where: str, allow_more: bool = False) -> T:
    """Return a JSON object as the dataclass `cls`: each key of the type and range that its annotation says.

    Args:
        where: what is read, for errors: "'runs/a/meta.json'" or "'play.jsonl', line 3".
        allow_more: pass over keys that `cls` does not have; by default they are refused.

    Raises:
        FileError: it is not strict JSON, a key is missing or unknown, or a value is not what the key takes.
    """
    tree = parse_strict(text, where)
    if not isinstance(tree, dict):
        raise FileError(f"{where} must hold a JSON object, {{...}}; received {received(tree)}.")
    if allow_more:
        known = {field.name for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        tree = {key: value for key, value in tree.items() if key in known}
    try:
        return from_dict(cls, tree, where)
    except ConfigError as error:
        raise FileError(str(error)) from error


def parse_strict(text: str | bytes, where: str, non_finite: bool = False) -> Any:
    """Return the value of strict JSON: UTF-8, each key once, numbers finite and of sane length, not nested too deep.

    Args:
        where: what is read, for errors.
        non_finite: take NaN and Infinity as well, as Python writes them: into checkpoints, for example.

    Raises:
        FileError: the text is something else.
    """
    try:
        text = text if isinstance(text, str) else text.decode()
        tree = (_WITH_NON_FINITE if non_finite else _STRICT).decode(text)
    except RecursionError:
        raise FileError(f"{where} cannot be used: {TOO_DEEP}.") from None
    except UnicodeDecodeError as error:
        raise FileError(f"{where} is not text in UTF-8 (byte {error.start}).") from error
    except ValueError as error:
        raise FileError(f"{where} is not JSON: {error}.") from error
    # Counting brackets is cheap, and most texts have too few to nest deep.
    if text.count("[") + text.count("{") > LEVELS and too_deep(tree):
        raise FileError(f"{where} cannot be used: {TOO_DEEP}.")
    return tree


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    tree = dict(pairs)
    if len(tree) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key '{shortened(twice)}' stands there twice")
    return tree


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number '{shortened(text)}' is beyond the largest one")
    return value


def _integer(text: str) -> int:
    if len(text) > DIGITS:
        raise ValueError(f"an integer has {len(text)} digits, and at most {DIGITS} are read")
    return int(text)


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_int=_integer, parse_constant=_constant)
_WITH_NON_FINITE = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_int=_integer)
