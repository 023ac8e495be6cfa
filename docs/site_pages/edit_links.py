"""Finds where a page of the site is edited: the address of the repository, and the page's file in it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from site_pages.repository import ROOT, site_place, sources

HOST_VARIABLE = "READTHEDOCS_GIT_CLONE_URL"
"""The variable in which Read the Docs gives the repository's address; READTHEDOCS_GIT_IDENTIFIER has the branch."""
BRANCH = "main"


def repository_address(environment: Mapping[str, str] = os.environ) -> str:
    """Return the address of the repository: Read the Docs', or `Repository` of pyproject.toml's urls; "" for none."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[project.urls]")[2].partition("\n[")[0]
    named = re.search(r'^Repository = "([^"]+)"', project, re.M)
    address = environment.get(HOST_VARIABLE) or (named[1] if named else "")
    address = re.sub(r"^git@([^:]+):", r"https://\1/", address)
    return address.rstrip("/").removesuffix(".git")


def edit_link(page: str, address: str, branch: str = BRANCH) -> str:
    """Return the address at which a page of the site is edited; "" if it is written from the code, or without one.

    Args:
        page: its place in the site, without a suffix.
    """
    if not address or page not in edited_pages():
        return ""
    way = "-/edit" if "gitlab" in address else "edit"
    return f"{address}/{way}/{branch}/{edited_pages()[page]}"


@cache
def edited_pages() -> Mapping[str, PurePosixPath]:
    """Return the files of the pages that are written by hand, by their places in the site without a suffix.

    Results are written by benchmarks.
    """
    hand = [path for path in sources() if not path.is_relative_to("benchmarks")]
    return {str(site_place(path).with_suffix("")): path for path in hand}


def add_edit_link(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Give the theme the link of a page; a handler of Sphinx's event `html-page-context`."""
    branch = os.environ.get("READTHEDOCS_GIT_IDENTIFIER", BRANCH)
    context["theme_source_edit_link"] = edit_link(pagename, repository_address(), branch)
