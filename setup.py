"""Builds the native games; everything else about the package stands in pyproject.toml."""

import os
from glob import glob

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension, build_ext, naive_recompile
from setuptools import setup

NATIVE = "worldmodels/envs/native"

# No -march=native and no fused multiply-add: the same seed gives the same bytes on every machine.
FLAGS = ["-O3", "-g0", "-ffp-contract=off", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wshadow", "-Wconversion"]
if os.environ.get("CI"):
    FLAGS.append("-Werror")

# One compiler process per core, and only files that changed.
ParallelCompile("WORLDMODELS_BUILD_JOBS", default=0, needs_recompile=naive_recompile).install()

setup(
    ext_modules=[
        Pybind11Extension(
            f"{NATIVE}/_native".replace("/", "."),
            sorted(glob(f"{NATIVE}/**/*.cpp", recursive=True)),
            depends=sorted(glob(f"{NATIVE}/**/*.h", recursive=True)),
            include_dirs=[NATIVE],
            cxx_std=17,
            extra_compile_args=FLAGS,
        )
    ],
    cmdclass={"build_ext": build_ext},
)
