"""The parts of `make_site.py`: pages of the repository as pages of the site, and reference pages from the code."""
