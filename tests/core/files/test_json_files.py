from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from worldmodels.core.configuration.ranges import Positive, Section
from worldmodels.core.errors import FileError
from worldmodels.core.files.json_files import parse_json, parse_strict, read_json


@dataclass(frozen=True)
class Part(Section):
    sizes: tuple[Positive, ...]


@dataclass(frozen=True)
class Header(Section):
    format: Positive
    part: Part
    note: str | None = None
    scale: float = 1.0
    more: Mapping[str, Any] | None = None
    names: Mapping[str, str] | None = None


WHOLE = '{"format": 1, "part": {"sizes": [1, 2.0]}'


def test_an_object_becomes_its_dataclass() -> None:
    expected = Header(1, Part((1, 2)), "grün", 2.0, {"a": [1, {"b": None}]}, {"x": "y"})
    text = WHOLE + ', "note": "grün", "scale": 2, "more": {"a": [1, {"b": null}]}, "names": {"x": "y"}}'
    assert parse_json(text, Header, "here") == expected
    assert parse_json(text.encode(), Header, "here") == expected
    assert parse_json(WHOLE + "}", Header, "here") == Header(1, Part((1, 2)))
    assert parse_json(WHOLE + ', "other": 1}', Header, "here", allow_more=True) == Header(1, Part((1, 2)))


@pytest.mark.parametrize(
    "text, message",
    [
        ("[1]", r"here must hold a JSON object, \{\.\.\.\}; received \[1\] \(a list\)\."),
        ("{}", r"here: the key 'format' has no default, so it must be given\."),
        ('{"format": 1, "part": {}}', r"here: the key 'part\.sizes' has no default, so it must be given\."),
        (WHOLE + ', "formta": 1}', r"here: unknown key 'formta'\. Did you mean 'format'\?"),
        ('{"format": 0, "part": {"sizes": []}}', r"here: format must be at least 1\. Received 0\."),
        ('{"format": true, "part": {"sizes": []}}', r"here: 'format' takes an integer; received true\."),
        ('{"format": 1.5, "part": {"sizes": []}}', r"'format' takes an integer; received 1\.5 \(a number\)"),
        ('{"format": 1, "part": [1]}', r"'part' is a section with the keys sizes; received \[1\] \(a list\)"),
        ('{"format": 1, "part": {"sizes": [1, 0]}}', r"part\.sizes must be at least 1"),
        ('{"format": 18446744073709551616, "part": {"sizes": []}}', "Integers have at most 64 bits"),
        (WHOLE + ', "scale": 1' + "0" * 90 + "}}", "is not JSON: Extra data"),
        (WHOLE + ', "scale": ' + "1" * 400 + "}", "an integer has 400 digits, and at most 100 are read"),
        (WHOLE + ', "scale": ' + "1" * 5000 + "}", "an integer has 5000 digits"),
        (WHOLE + ', "scale": 1e999}', "the number '1e999' is beyond the largest one"),
        (WHOLE + ', "scale": NaN}', "NaN is no number of JSON"),
        (WHOLE + ', "scale": -Infinity}', "-Infinity is no number of JSON"),
        (WHOLE + ', "note": "a", "note": "b"}', "the key 'note' stands there twice"),
        (WHOLE + ', "more": ' + "[" * 300 + "]" * 300 + "}", "nests lists and mappings more than 100 levels deep"),
        (WHOLE + ', "more": ' + "[" * 10**5 + "]" * 10**5 + "}", "nests lists and mappings more than 100 levels"),
        (WHOLE + ', "more": [1]}', r"'more' takes keys and values or null; received \[1\] \(a list\)"),
        (WHOLE + ', "names": {"x": 1}}', r"'names' takes keys and values, each text or null"),
        ("", "is not JSON: Expecting value"),
        ("\ufeff{}", "is not JSON: "),
    ],
)
def test_anything_else_is_told_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(FileError, match=message) as caught:
        parse_json(text, Header, "here")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_text_in_another_encoding_is_refused() -> None:
    with pytest.raises(FileError, match=r"here is not text in UTF-8 \(byte 1\)"):
        parse_strict(b'"\xff"', "here")
    with pytest.raises(FileError, match=r"here is not text in UTF-8"):
        parse_strict('{"a": 1}'.encode("utf-16"), "here")


def test_a_hundred_levels_may_be_nested() -> None:
    assert parse_strict("[" * 100 + "]" * 100, "here")
    with pytest.raises(FileError, match="more than 100 levels"):
        parse_strict("[" * 101 + "]" * 101, "here")
    assert parse_strict("[" + ", ".join(["[1]"] * 500) + "]", "here")


def test_long_values_are_cut_in_errors() -> None:
    for value in ["[" + "1, " * 9999 + "1]", '"' + "x" * 9999 + '"', "{" + '"a": {}' + "}", "[[[[[[1]]]]]]"]:
        with pytest.raises(FileError) as caught:
            parse_json(f'{{"format": {value}, "part": {{"sizes": []}}}}', Header, "here")
        assert len(str(caught.value)) < 300


def test_a_file_is_read_and_named(tmp_path: Path) -> None:
    path = tmp_path / "header.json"
    with pytest.raises(FileNotFoundError):
        read_json(path, Header)
    path.write_text(WHOLE + "}")
    assert read_json(path, Header) == Header(1, Part((1, 2)))
    path.write_text(WHOLE)
    with pytest.raises(FileError, match=r"'.*header\.json' is not JSON"):
        read_json(path, Header)
    os.symlink(path, tmp_path / "link.json")
    with pytest.raises(FileError, match="is a link"):
        read_json(tmp_path / "link.json", Header)
