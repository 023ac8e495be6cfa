"""The settings of Sphinx for the site, which `make_site.py` builds."""

from __future__ import annotations

import worldmodels

project = "worldmodels"
author = copyright = "The authors of worldmodels"
version = release = worldmodels.__version__

extensions = ["myst_parser", "sphinx_copybutton"]
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
html_title = f"worldmodels {version}"
html_copy_source = False
