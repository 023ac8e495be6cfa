"""User pages keep the rules of prose that a program can check; CONTRIBUTING.md has all rules, with examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from site_pages.notebooks import as_markdown

ROOT = Path(__file__).parents[2]
DEVELOPMENT = {"docs/architecture.md", "docs/glossary.md"}
"""Pages for developers."""
PAGES = sorted(
    path
    for pattern in ("README.md", "docs/*.md", "docs/[!_]*/*.md", "docs/notebooks/*.py")
    for path in ROOT.glob(pattern)
    if str(path.relative_to(ROOT)) not in DEVELOPMENT and "notebook" not in path.parts
)
MOST_WORDS = 25
WORDS = {
    "in place of": "instead of",
    "less PPO": "minus PPO",
    "whoever": "you, users, programs",
    "nobody": "no user, no program; or say it of the thing",
    "heed": "depend on, use",
    "(?:is|are) told(?! apart)": "is reported, is printed",
    "by heart": "memorised",
    "drunk": "name the behaviour",
    "hereby": "leave it out",
    "of its own none": "name the thing",
}
"""Words that user pages avoid, each with what is said instead."""
SOURCE = re.compile(r"`[\w/*]+/[\w*]+\.py[`:]")
CODE = re.compile(r"^ *```.*?^ *```", re.M | re.S)
ALLOWED_SOURCES = ("benchmarks/", "docs/", "examples/")
"""Scripts that a reader runs."""


def prose(page: Path) -> str:
    """Return a page without blocks of code."""
    return CODE.sub("", as_markdown(page) if page.suffix == ".py" else page.read_text())


def paragraphs(text: str) -> Iterator[str]:
    """Yield paragraphs and items of lists, without headings, tables and indented code."""
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        if not re.match(r"\s*(#|\||<!--|!\[| {4})", part):
            yield " ".join(line for line in part.split("\n") if not line.startswith("|"))


def sentences(text: str) -> Iterator[str]:
    """Yield sentences, which a colon ends, too; code counts as one word, and a link as its text."""
    plain = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "x", text))
    for paragraph in paragraphs(plain):
        yield from re.split(r"(?<=[.!?:;])[)*\"'\]]* +", " ".join(paragraph.split()))


def words(sentence: str) -> int:
    return len(re.findall(r"[^\W_][\w'’-]*(?:[.,]\d+)*", sentence))


def tables(text: str) -> Iterator[list[list[str]]]:
    """Yield the rows of each table, the header first, as texts of cells."""
    for block in re.findall(r"(?:^\|.*\n)+", text + "\n", re.M):
        yield [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()]


def long_sentences(text: str) -> list[str]:
    return [f"{words(each)} words: {each}" for each in sentences(text) if words(each) > MOST_WORDS]


def avoided_words(text: str) -> list[str]:
    plain = re.sub(r"`[^`]*`", "", " ".join(text.split()))
    return [
        f"'{match[0]}': say {instead} (... {plain[max(0, match.start() - 40) : match.end() + 20]} ...)"
        for word, instead in WORDS.items()
        for match in re.finditer(rf"\b{word}s?\b", plain, re.I)
    ]


def bad_tables(text: str) -> list[str]:
    found = []
    for rows in tables(text):
        if not all(rows[0]):
            found.append(f"empty header: {rows[0]}")
        found += [f"first cell: {row[0]}" for row in rows[2:] if re.match(r"\.\.\.|…", row[0])]
    return found


def source_paths(text: str) -> list[str]:
    """Return the paths of the package's sources; pages that teach the code of a method have a section for them."""
    if "\n## The code\n" in text:
        return []
    return [path for path in SOURCE.findall(text) if not path.strip("`").startswith(ALLOWED_SOURCES)]


RULES = {
    "long sentences": long_sentences,
    "words to avoid": avoided_words,
    "tables that do not stand alone": bad_tables,
    "source paths": source_paths,
}


@pytest.mark.parametrize("rule", RULES)
def test_user_pages_keep_the_rules(rule: str) -> None:
    found = {str(page.relative_to(ROOT)): RULES[rule](prose(page)) for page in PAGES}
    assert len(PAGES) > 35 and {page: faults for page, faults in found.items() if faults} == {}


def test_what_breaks_a_rule_is_found() -> None:
    text = (
        f"{'word ' * 25}.\n\n{'word ' * 26}.\n\n    {'word ' * 40}\n\n"
        "Use it in\nplace of that; `whoever` is code. They are told apart.\n\n"
        "| | a |\n|---|---|\n| ... more | 1 |\n\n| a | b |\n|---|---|\n| | 1 |\n\n"
        "`agents/ppo.py`, `benchmarks/demo.py`\n"
    )
    assert len(long_sentences(text)) == 1 and long_sentences(text)[0].startswith("26 words")
    assert [fault.partition(":")[0] for fault in avoided_words(text)] == ["'in place of'"]
    assert bad_tables(text) == ["empty header: ['', 'a']", "first cell: ... more"]
    assert source_paths(text) == ["`agents/ppo.py`"] and source_paths(text + "\n## The code\n") == []


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.split()) <= 900 and len(text.splitlines()) <= 110
