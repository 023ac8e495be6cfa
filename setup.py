"""Builds the native games and takes the presets along; everything else about the package stands in pyproject.toml."""

import os
import sys
from glob import glob

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension, build_ext
from setuptools import find_packages, setup

NATIVE = "worldmodels/envs/native"

# No -march=native and no fused multiply-add: the same seed gives the same bytes on every machine.
FLAGS = ["-O3", "-g0", "-ffp-contract=off", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wshadow", "-Wconversion"]
if os.environ.get("CI"):
    FLAGS.append("-Werror")

HEADERS = sorted(glob(f"{NATIVE}/**/*.h", recursive=True))
FOR_PAGES = sorted(glob(f"{NATIVE}/page/*.cpp"))
"""The interface of the games in a browser, which Emscripten compiles (scripts/page)."""


def outdated(object_file: str, source: str) -> bool:
    """Whether a source or any header is newer than what was compiled from it."""
    if not os.path.exists(object_file):
        return True
    return os.path.getmtime(object_file) < max(map(os.path.getmtime, [source, *HEADERS]))


# One compiler process per core, and only what changed.
ParallelCompile("WORLDMODELS_BUILD_JOBS", default=0, needs_recompile=outdated).install()

# The presets stand beside the package in a checkout, and inside it where it is installed. In an editable installation a
# plain path leads to the checkout: type checkers read no import hooks.
PRESETS = {} if "editable_wheel" in sys.argv else {"worldmodels.configs": "configs"}

setup(
    packages=[*find_packages(include=["worldmodels", "worldmodels.*"]), *PRESETS],
    package_dir=PRESETS or {"": "."},
    package_data={
        "worldmodels": ["py.typed", "gallery/*.world"],
        "worldmodels.acting": ["blind_policies.yaml"],
        "worldmodels.analysis.runs": ["scores/*.yaml"],
        "worldmodels.analysis.report": ["page.css"],
        "worldmodels.envs.native": ["_native.pyi"],
        "worldmodels.player": ["page/*"],
        "worldmodels.player.web": ["page/*"],
        "worldmodels.telemetry": ["metrics.yaml"],
        **dict.fromkeys(PRESETS, ["**/*.yaml"]),
    },
    ext_modules=[
        Pybind11Extension(
            f"{NATIVE}/_native".replace("/", "."),
            sorted({*glob(f"{NATIVE}/**/*.cpp", recursive=True)} - {*FOR_PAGES}),
            depends=[*HEADERS, *FOR_PAGES],
            include_dirs=[NATIVE],
            cxx_std=17,
            extra_compile_args=FLAGS,
        )
    ],
    cmdclass={"build_ext": build_ext},
)
