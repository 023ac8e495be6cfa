"""The wheel and the source distribution hold what they must and nothing else, and work far from the checkout."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

import worldmodels
from worldmodels.core.configuration.presets import preset_names
from worldmodels.envs.native import _native

ROOT = Path(__file__).parents[1]
NATIVE = "worldmodels/envs/native"
NATIVE_MODULE = f"{NATIVE}/_native{sysconfig.get_config_var('EXT_SUFFIX')}"
NAME = f"worldmodels_lab-{worldmodels.__version__}"

# What a build would read or leave in a checkout.
SOURCES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff")
LEFTOVERS = shutil.ignore_patterns("__pycache__", "*.so", "*.so.d", "*.egg-info", ".*_cache")


@pytest.fixture(scope="module")
def source_distribution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive, built from a copy of the checkout: a build leaves files in the folder that it builds."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in SOURCES:
        shutil.copy2(ROOT / name, copy)
    for name in ("worldmodels", "configs", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=LEFTOVERS)
    return build("--sdist", copy)


@pytest.fixture(scope="module")
def wheel(source_distribution: Path) -> Path:
    """The wheel of the source distribution, with this environment's native module, which takes a minute to compile."""
    folder = unpack(source_distribution)
    compiled = folder / "build" / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}" / NATIVE_MODULE
    compiled.parent.mkdir(parents=True)
    shutil.copy(_native.__file__, compiled)  # newer than every source, so it is up to date
    return build("--wheel", folder)


def build(kind: str, folder: Path) -> Path:
    """Build one distribution of the sources in a folder, without network, into a folder beside it."""
    out = folder.with_name(f"{folder.name}{kind}")
    run([sys.executable, "-m", "build", "--no-isolation", kind, "--outdir", str(out), str(folder)], folder.parent)
    (distribution,) = out.iterdir()
    return distribution


def unpack(archive: Path) -> Path:
    with tarfile.open(archive) as tar:
        tar.extractall(archive.parent, filter="data")
    return archive.parent / NAME


def run(command: list[str], folder: Path, **variables: str) -> str:
    """Run a command in a folder with another home and nothing that leads back to the checkout; return its output."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment = {**kept, "HOME": str(folder), **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def files(pattern: str) -> set[str]:
    """The checkout's files that match, as paths from its top."""
    return {str(path.relative_to(ROOT)) for path in ROOT.glob(pattern)}


def modules() -> set[str]:
    data = files("worldmodels/**/*.yaml") | files("worldmodels/analysis/report/*.css")
    data |= files("worldmodels/player/page/*") | files("worldmodels/player/web/page/*")
    data |= files("worldmodels/gallery/*.world")
    return files("worldmodels/**/*.py") | {"worldmodels/py.typed", f"{NATIVE}/_native.pyi"} | data


def test_the_source_distribution_holds_what_a_build_needs(source_distribution: Path) -> None:
    with tarfile.open(source_distribution) as tar:
        held = {member.name.removeprefix(f"{NAME}/") for member in tar.getmembers() if member.isfile()}
    native = files(f"{NATIVE}/**/*.cpp") | files(f"{NATIVE}/**/*.h")
    assert len(native) > 100
    generated = {name for name in held if name.startswith("worldmodels_lab.egg-info/")} | {"PKG-INFO", "setup.cfg"}
    assert held == {*SOURCES} | modules() | native | files("configs/**/*.yaml") | generated


def test_the_wheel_holds_what_runs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        metadata = archive.read(f"{NAME}.dist-info/METADATA").decode()
    presets = {f"worldmodels/{name}" for name in files("configs/**/*.yaml")}
    assert "worldmodels/configs/debug.yaml" in presets
    about = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt", "licenses/LICENSE")
    assert held == modules() | presets | {NATIVE_MODULE} | {f"{NAME}.dist-info/{name}" for name in about}
    assert "License-Expression: MIT" in metadata and "License-File: LICENSE" in metadata
    assert f"Version: {worldmodels.__version__}\n" in metadata


def test_every_required_package_is_imported(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"{NAME}.dist-info/METADATA").decode()
    required = set(re.findall(r"^Requires-Dist: ([\w.-]+)[^;\n]*$", metadata, re.MULTILINE))
    assert {"tensorflow", "numpy"} <= required and "pytest" not in required
    sources = "\n".join(path.read_text() for path in ROOT.glob("worldmodels/**/*.py"))
    imported = set(re.findall(r"^ *(?:import|from) (\w+)", sources, re.MULTILINE))
    owners = {owner for module in imported for owner in packages_distributions().get(module, [])}
    # TensorFlow Probability imports tf-keras, and does not require it.
    assert required - owners == {"tf-keras"}


@pytest.fixture
def lent_packages(tmp_path: Path, wheel: Path) -> Path:
    """A virtual environment's Python that has the wheel, and of this environment all but what leads to the checkout."""
    python = new_environment(tmp_path)
    install = ["-m", "pip", "--python", str(python), "install", "--no-index", "--no-deps", str(wheel)]
    run([sys.executable, *install], tmp_path)
    (site_packages,) = (python.parents[1] / "lib").glob("python3*/site-packages")
    # The .pth files in a folder that is named in a .pth file are not read, so no editable installation is found there.
    (site_packages / "lent.pth").write_text(sysconfig.get_path("purelib"))
    return python


def new_environment(folder: Path, with_pip: bool = False) -> Path:
    venv.create(folder / "environment", with_pip=with_pip, symlinks=True)
    return folder / "environment" / "bin" / "python"


CHECK = """
import gymnasium, numpy, worldmodels
env = gymnasium.make("worldmodels/CoinRun-v0", render_mode="rgb_array")
env.reset(seed=0)
env.step(env.action_space.sample())
assert env.render().shape == (512, 512, 3)
print(worldmodels.__file__)
"""


def check_installation(python: Path, folder: Path) -> None:
    """Take the shortest way through the package: presets, a game, a whole run, and a film of it."""
    command = str(python.with_name("worldmodels"))
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    module = run([str(python), "-c", CHECK], elsewhere).strip()
    assert Path(module).is_relative_to(python.parents[1])
    listed = run([command, "list", "configs"], elsewhere).splitlines()
    assert [line.split()[0] for line in listed] == preset_names()
    run([command, "train", "--config", "debug", "--logdir", "run"], elsewhere)
    play = [command, "play", "run", "--headless", "--policy", "--steps", "5", "--video", "film.mp4"]
    run(play, elsewhere, SDL_VIDEODRIVER="dummy")
    assert (elsewhere / "film.mp4").stat().st_size > 1000


def test_an_installed_wheel_works_in_another_folder(lent_packages: Path, tmp_path: Path) -> None:
    check_installation(lent_packages, tmp_path)


@pytest.mark.slow
def test_a_wheel_compiled_from_the_source_distribution_works_in_an_empty_environment(
    source_distribution: Path, tmp_path: Path
) -> None:
    compiled = build("--wheel", unpack(Path(shutil.copy(source_distribution, tmp_path))))
    python = new_environment(tmp_path, with_pip=True)
    run([str(python), "-m", "pip", "install", "--disable-pip-version-check", str(compiled)], tmp_path)
    check_installation(python, tmp_path)


def test_an_editable_installation_is_a_plain_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Type checkers do not follow import hooks, which setuptools takes for other layouts."""
    found: dict[str, Any] = {}
    monkeypatch.setattr("setuptools.setup", lambda **settings: found.update(settings))
    monkeypatch.setattr(sys, "argv", ["setup.py", "editable_wheel"])
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    assert found["package_dir"] == {"": "."} and "worldmodels.configs" not in found["packages"]
    monkeypatch.setattr(sys, "argv", ["setup.py", "bdist_wheel"])
    runpy.run_path("setup.py")
    assert found["package_dir"] == {"worldmodels.configs": "configs"}
