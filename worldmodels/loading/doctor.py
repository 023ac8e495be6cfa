"""Examines this machine: its packages, what is missing, and its speed."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions, version
from importlib.util import cache_from_source
from pathlib import Path

from worldmodels.core.errors import DISTRIBUTION, FileError, pip_install
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.output import print_text
from worldmodels.core.processor import this_processor
from worldmodels.loading.quiet import KERAS, load_tensorflow

_PACKAGES = ("tensorflow", "tf-keras", "tensorflow-probability", "numpy", "gymnasium", "pygame-ce", "av")
_NO_EXTRAS = ("test", "gpu")
"""Extras for developers alone, or about which the line on GPUs says more."""
_FOR_PAGES = ("emcc", "npm")
_MEASURE_SECONDS = 0.5
_SIDE, _SIDE_ON_A_GPU = 1024, 8192
"""Rows and columns of the measured matrices; small matrices leave most of a GPU idle."""


def examine() -> int:
    """Print the findings, and return the exit status: 1 if something needed is missing."""
    healthy = True
    for name, fine, finding in _findings():
        mark = {True: "ok     ", False: "MISSING", None: "note   "}[fine]
        print_text(f"{mark} {name:24} {finding}")
        healthy &= fine is not False
    return 0 if healthy else 1


def _findings() -> Iterator[tuple[str, bool | None, str]]:
    """Yield findings: the subject, whether it is fine (None: a remark), and the finding in words."""
    fits = (3, 10) <= sys.version_info[:2] <= (3, 13)
    yield "Python", fits, f"{platform.python_version()} (3.10 to 3.13 are tested)"
    yield "processor", True, f"{os.cpu_count()} cores, {this_processor()}"
    yield "free disk here", True, f"{shutil.disk_usage('.').free / 1e9:.0f} GB"
    for package in _PACKAGES:
        yield package, *_package(package)
    yield from _bytecode(sys.dont_write_bytecode)
    yield from _pygame()
    yield from _keras()
    yield from _other_projects()
    yield from _extras()
    yield from _page()
    yield from _games()
    yield from _accelerators()
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    yield "display", True if display else None, display or "none: the player needs --headless here"


def _bytecode(unwritten: bool) -> Iterator[tuple[str, bool | None, str]]:
    """Yield a remark if Python writes no compiled modules and TensorFlow has none."""
    with suppress(PackageNotFoundError):
        source = str(distribution("tensorflow").locate_file("tensorflow/python/__init__.py"))
        if unwritten and not Path(cache_from_source(source)).exists():
            yield (
                "compiled modules",
                None,
                "none, so Python compiles all of TensorFlow's at each start, which takes some ten seconds: start once "
                "without the variable PYTHONDONTWRITEBYTECODE",
            )


def _pygame() -> Iterator[tuple[str, bool | None, str]]:
    """Yield a finding if the package `pygame` has replaced files of pygame-ce."""
    with suppress(PackageNotFoundError):
        yield (
            "pygame",
            None,
            f"version {version('pygame')} is installed over pygame-ce, with which the player is tested: run "
            "`pip uninstall pygame`, then `pip install --force-reinstall pygame-ce`",
        )


def _keras() -> Iterator[tuple[str, bool | None, str]]:
    """Yield a remark for each setting of Keras, in the environment or in keras.json, that is set anew here."""
    file = Path(os.environ.get("KERAS_HOME", "~/.keras")).expanduser() / "keras.json"
    found: dict[str, object] = {}
    with suppress(FileError, OSError):
        tree = parse_strict(file.read_bytes(), str(file))
        found = {**tree} if isinstance(tree, dict) else {}
    if backend := os.environ.get("KERAS_BACKEND"):
        found["backend"] = backend
    for name, value in {"backend": "tensorflow", **KERAS}.items():
        if (other := found.get(name, value)) != value:
            yield f"Keras's {name}", None, f"{other!r} is set, by KERAS_BACKEND or '{file}'; {value!r} is used here"


def _package(name: str) -> tuple[bool, str]:
    try:
        return True, version(name)
    except PackageNotFoundError:
        return False, "not installed: run `pip install -e .` in the project's folder"


def _other_projects() -> Iterator[tuple[str, bool | None, str]]:
    """Yield a remark for each installed distribution `worldmodels` that is another project and has our import name."""
    for other in distributions(name="worldmodels"):
        if not _is_ours(other):
            yield (
                "worldmodels",
                None,
                f"version {other.version} of another project is installed under this name, and its files replace ours: "
                f"run `pip uninstall worldmodels`, then install {DISTRIBUTION} again",
            )


def _extras() -> Iterator[tuple[str, bool | None, str]]:
    """Yield a finding for each extra of this project: its packages, or the command that installs them."""
    wanted: dict[str, list[str]] = {}
    for ours in filter(_is_ours, distributions()):
        for requirement in ours.requires or ():
            found = re.fullmatch(r"""([\w.-]+)[^;]*;.*\bextra == ["'](\w+)["'].*""", requirement)
            if found and found[2] not in _NO_EXTRAS:
                wanted.setdefault(found[2], []).append(found[1])
    for extra, packages in wanted.items():
        absent = [package for package in packages if not _package(package)[0]]
        yield (
            f"extra {extra}",
            None if absent else True,
            f"without {', '.join(absent)}: {pip_install(extra)}" if absent else ", ".join(packages),
        )


def _page() -> Iterator[tuple[str, bool | None, str]]:
    """Yield what `make page` needs besides the extra `onnx`."""
    absent = [name for name in _FOR_PAGES if shutil.which(name) is None]
    finding = f"without {', '.join(absent)}: on Debian or Ubuntu, apt install emscripten npm"
    yield "page in a browser", None if absent else True, finding if absent else f"{', '.join(_FOR_PAGES)}: make page"


def _is_ours(distribution: Distribution) -> bool:
    """Return whether a distribution installs our command, as an installation by this project's former name does."""
    return any(point.value == "worldmodels.cli:main" for point in distribution.entry_points)


def _games() -> Iterator[tuple[str, bool | None, str]]:
    try:
        from worldmodels.envs import GAMES
    except ImportError as error:
        yield "native games", False, f"not built: {error}"
        return
    for game in GAMES:
        yield f"game {game}", True, f"{_steps_per_second(game):,.0f} steps/s (one thread, 64 environments)"


def _steps_per_second(game: str) -> float:
    from worldmodels.envs import make_vec

    env = make_vec(game, num_envs=64)
    env.action_space.seed(0)
    env.reset(seed=0)
    start, steps = time.perf_counter(), 0
    while time.perf_counter() < start + _MEASURE_SECONDS:
        env.step(env.action_space.sample())
        steps += env.num_envs
    return steps / (time.perf_counter() - start)


def _accelerators() -> Iterator[tuple[str, bool | None, str]]:
    try:
        load_tensorflow()
    except ImportError as error:
        yield "TensorFlow", False, f"does not load: {error}"
        return
    from worldmodels.models.devices import gpu_names

    names = gpu_names()
    yield "GPU", True if names else None, ", ".join(names) or "none: everything works without one"
    yield "matrix products", True, _products()


def _products() -> str:
    """Return the speed of matrix products in the types from which `precision: auto` chooses."""
    from worldmodels.models.devices import computing_processor

    speeds = {"float32": _gigaflops("float32")}
    if computing_processor().multiplies_bfloat16:
        speeds["bfloat16"] = _gigaflops("bfloat16")
        consequence = "precision: auto measures a run's updates in both"
    else:
        consequence = "no instructions for bfloat16: precision: auto takes float32"
    return ", ".join(f"{speed:,.0f} GFLOP/s in {kind}" for kind, speed in speeds.items()) + f"; {consequence}"


def _gigaflops(kind: str) -> float:
    """Return the speed of products of square matrices, without the first one."""
    import tensorflow as tf

    from worldmodels.models.devices import has_gpu, wait_for_gpu

    side = _SIDE_ON_A_GPU if has_gpu() else _SIDE
    matrix = tf.ones((side, side), kind)
    tf.linalg.matmul(matrix, matrix)
    start, products = time.perf_counter(), 0
    while not products or time.perf_counter() < start + _MEASURE_SECONDS:
        tf.linalg.matmul(matrix, matrix)
        wait_for_gpu()
        products += 1
    return products * 2e-9 * side**3 / (time.perf_counter() - start)
