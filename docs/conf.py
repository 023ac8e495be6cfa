"""The settings of Sphinx for the site, which `make_site.py` builds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from site_pages.edit_links import add_edit_link

import worldmodels

project = "worldmodels"
author = copyright = "The authors of worldmodels"
version = release = worldmodels.__version__

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_reredirects"]
myst_enable_extensions = ["deflist", "html_image"]
myst_heading_anchors = 6  # those of a repository's host
highlight_language = "none"  # of blocks that name no language
copybutton_exclude = ".linenos, .gp, .go"

python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"
nitpick_ignore_regex = [("py:.*", ".*")]  # types of signatures, of which many have no entry

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("play.js", {"defer": "defer"})]
html_search_scorer = str(Path(__file__).parent / "static" / "search_scorer.js")
html_title = f"worldmodels {version}"
html_copy_source = False

redirects: dict[str, str] = {}
"""New addresses of pages that moved, by their old places without a suffix; relative to the old place."""


def setup(app: Any) -> None:
    """Let each page have a link to its file in the repository, if the repository's address is known."""
    app.connect("html-page-context", add_edit_link)
