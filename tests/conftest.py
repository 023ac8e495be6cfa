"""What tests of several packages share."""

from __future__ import annotations

import gc
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import worldmodels  # noqa: F401 (decides how TensorFlow calculates, so it comes first here as it does in the program)

# Where tests are started in the background, a shell lets them ignore Ctrl-C, which some of them send.
with suppress(ValueError):  # not the main thread
    signal.signal(signal.SIGINT, signal.default_int_handler)


FIRST = (
    "core",
    "training",
    "conformance",
    "acting",
    "loading",
    "recordings",
    "agents",
    "models",
    "evaluation",
    "experiments",
    "player",
)
"""Folders that begin first: `core`, whose tests fork, which takes the longer the more memory the process holds; then
those with the longest files, since one that began last would keep a process alone at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort tests by folder; files stay together, and in their order."""

    def rank(item: pytest.Item) -> int:
        folder = _folder(item.path)
        return FIRST.index(folder) if folder in FIRST else len(FIRST)

    items.sort(key=rank)


def _folder(path: Path) -> str:
    """Return the folder beside this file that a file of tests is in, or the name of the file itself."""
    return path.relative_to(Path(__file__).parent).parts[0]


def pytest_collection_finish() -> None:
    """Keep what was imported and collected out of every later collection of garbage, which each checkpoint asks for."""
    gc.collect()
    gc.freeze()


UNIMPROVED = (
    "acting", "agents", "conformance", "docs", "evaluation", "experiments", "imagination", "loading", "models",
    "player", "recordings", "test_api.py", "test_example.py", "training",
)  # fmt: skip
"""Folders whose graphs run as they were made: each runs a few times, which takes less time than to improve it."""


@pytest.fixture(autouse=True, scope="module")
def unimproved_graphs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Do without TensorFlow's improvements of graphs in those folders; runs in processes of their own have them."""
    if _folder(request.path) not in UNIMPROVED:
        yield
        return
    import tensorflow as tf

    before = tf.config.optimizer.get_experimental_options()
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    yield
    tf.config.optimizer.set_experimental_options(before)


GROWTH = 250 * 10**6
"""Bytes of memory by which a module of tests may let the process grow until that gives some back."""


@pytest.fixture(autouse=True, scope="module")
def small_process() -> Iterator[None]:
    """Forget, after a module, the graphs that TensorFlow would keep: dozens of models are built in a process."""
    before = _memory()
    known = _custom_gradients()
    yield
    if _memory() - before > GROWTH:
        from worldmodels.core.processor import release_unused_memory
        from worldmodels.models.graph import forget_custom_gradients

        forget_custom_gradients(_custom_gradients() - known)
        release_unused_memory()


def _memory() -> int:
    """Return the bytes of memory that this process holds; 0 where nobody tells."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * resource.getpagesize() if status.exists() else 0


def _custom_gradients() -> frozenset[str]:
    """Return the gradients that TensorFlow knows; none where it is not loaded."""
    if "tensorflow" not in sys.modules:
        return frozenset()
    from worldmodels.models.graph import custom_gradients

    return custom_gradients()


@pytest.fixture(scope="session")
def line():
    """See `line.py`."""
    from line import Line

    return Line()


@pytest.fixture
def starts():
    """32 states, all at place 0."""
    import tensorflow as tf
    from line import Place

    return Place(tf.zeros((32, 1)))
