"""Each notebook runs from its first cell to its last, with everything made tiny, and is a page of the site."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from PIL import Image
from site_pages.notebooks import as_markdown
from site_pages.repository import take_over

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "docs" / "notebooks"
SHORTER = (
    (r"ROWS, CONTEXT, HORIZON = .*", 'ROWS, CONTEXT, HORIZON = "runs/demo", 2, 3, 4'),
    (r"SEEDS = .*", 'SEEDS = "runs/demo", 2'),
    (r'"coinrun", "demo_ppo", \{', '"bossfight", "debug_ppo", {"env.num_levels": 20, "training.steps": 600, '),
    (r"horizon=30, windows=64", "horizon=4, windows=4"),
    (r'"20000"', '"80"'),
    (r"STEPS, FIT, LEVELS = .*", "STEPS, FIT, LEVELS = 80, 2, 20"),
    (r'\["dreamer_small", "offline"\]', '["dreamer_small", "debug", "offline"]'),
    (r"horizon=5, windows=64", "horizon=5, windows=4"),
)
"""Lines that are made tiny, and their tiny forms."""


@pytest.fixture
def run_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny_run: Path) -> Callable[[str], dict[str, object]]:
    """Return a function that runs a notebook in the folder of the test, and returns its names."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "demo").symlink_to(tiny_run)

    def run(name: str) -> dict[str, object]:
        code = (NOTEBOOKS / name).read_text()
        for long, short in SHORTER:
            code = re.sub(long, short, code)
        names: dict[str, object] = {}
        exec(compile(code, name, "exec"), names)
        plt.close("all")
        return names

    return run


def pictures(name: str) -> list[str]:
    """The names of the pictures that a notebook saves, in their order."""
    return re.findall(r'savefig\("([\w.]+)"', (NOTEBOOKS / name).read_text())


def check_pictures(name: str, folder: Path) -> None:
    assert pictures(name)
    for picture in pictures(name):
        with Image.open(folder / picture) as image:
            assert min(image.size) > 200 and len(image.convert("L").getcolors()) > 10


def test_a_world_model(run_notebook, tmp_path: Path) -> None:
    found = run_notebook("world_model.py")
    assert found["prior"].shape == found["seen"].shape == found["real"].shape == (2, 4, 64, 64, 3)
    check_pictures("world_model.py", tmp_path)


def test_reading_a_run(run_notebook, tmp_path: Path) -> None:
    found = run_notebook("reading_a_run.py")
    assert found["mean"].shape == (40,) and (found["half"] >= 0).all()
    assert len(found["expected"]) == len(found["came"]) > 0
    check_pictures("reading_a_run.py", tmp_path)


def test_experience(run_notebook, tmp_path: Path) -> None:
    found = run_notebook("experience.py")
    assert set(found["arrays"]["action"].ravel()) == {7, 8}  # to the right, and jumping to the right
    assert (found["again"]["observation"] == found["arrays"]["observation"]).all()
    check_pictures("experience.py", tmp_path)


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.py")), ids=lambda path: path.stem)
def test_a_notebook_is_a_page_with_its_pictures(path: Path) -> None:
    pages, files = take_over()
    assert f"notebooks/{path.stem}.md" in pages
    shown = re.findall(r"!\[[^]]+\]\(\.\./images/notebooks/([\w.]+)\)", as_markdown(path))
    assert shown == pictures(path.name)
    assert all(f"images/notebooks/{picture}" in files for picture in shown)


def test_code_and_texts_keep_their_order(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text("# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\na = 1\n\n# %%\nb = 2\n")
    text = as_markdown(tmp_path / "small.py")
    assert text.startswith("# Title\n\nText.\n\n```python\na = 1\n```\n\n```python\nb = 2\n```\n\n## Run it\n")
