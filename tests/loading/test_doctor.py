"""`worldmodels doctor` prints its findings and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path
from types import SimpleNamespace

import pytest

from worldmodels.core.processor import Processor, this_processor
from worldmodels.loading import doctor
from worldmodels.models import devices


def test_tensorflow_adds_no_remarks() -> None:
    program = "from worldmodels.loading import doctor; doctor._MEASURE_SECONDS = 0; doctor.examine()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "ok      tensorflow" in done.stdout and "GPU" in done.stdout
    assert re.search(
        rf"^ok      processor +{os.cpu_count()} cores, {re.escape(str(this_processor()))}$", done.stdout, re.M
    )
    assert re.search(r"^ok      matrix products +[\d,]+ GFLOP/s in float32[,;] .*precision: auto", done.stdout, re.M)


@pytest.mark.parametrize(
    ("instructions", "finding"),
    [
        ("AVX2", "150 GFLOP/s in float32; no instructions for bfloat16: precision: auto takes float32"),
        (
            "AMX bfloat16",
            "150 GFLOP/s in float32, 1,200 GFLOP/s in bfloat16; precision: auto measures a run's updates in both",
        ),
    ],
)
def test_bfloat16_is_measured_where_the_processor_has_it(
    monkeypatch: pytest.MonkeyPatch, instructions: str, finding: str
) -> None:
    monkeypatch.setattr(devices, "this_processor", lambda: Processor("Some CPU", instructions))
    monkeypatch.setattr(doctor, "_gigaflops", {"float32": 150.0, "bfloat16": 1200.0}.__getitem__)
    assert doctor._products() == finding


def test_modules_that_are_compiled_at_each_start_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = SimpleNamespace(locate_file=lambda name: tmp_path / name)
    monkeypatch.setattr(doctor, "distribution", lambda name: package)
    ((name, fine, finding),) = doctor._bytecode(unwritten=True)
    assert (name, fine) == ("compiled modules", None) and "without the variable PYTHONDONTWRITEBYTECODE" in finding
    assert not list(doctor._bytecode(unwritten=False))
    compiled = Path(cache_from_source(str(tmp_path / "tensorflow/python/__init__.py")))
    compiled.parent.mkdir(parents=True)
    compiled.touch()
    assert not list(doctor._bytecode(unwritten=True))


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_a_speed_is_measured_with_one_product_at_least(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(doctor, "_MEASURE_SECONDS", 0)
    monkeypatch.setattr(doctor, "_SIDE", 8)
    assert doctor._gigaflops(kind) > 0


def add_distribution(folder: Path, version: str, command: str) -> None:
    """Write what pip leaves of an installed distribution named `worldmodels`."""
    about = folder / f"worldmodels-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: worldmodels\nVersion: {version}\n")
    (about / "entry_points.txt").write_text(command)


@pytest.mark.parametrize(
    ("command", "versions"), [("", ["0.2.0"]), ("[console_scripts]\nworldmodels = worldmodels.cli:main\n", [])]
)
def test_another_project_of_the_same_name_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, versions: list[str]
) -> None:
    add_distribution(tmp_path, "0.2.0", command)
    monkeypatch.syspath_prepend(tmp_path)
    assert list(doctor._other_projects()) == [
        (
            "worldmodels",
            None,
            f"version {version} of another project is installed under this name, and its files replace ours: run "
            "`pip uninstall worldmodels`, then install worldmodels-lab again",
        )
        for version in versions
    ]


def test_settings_of_keras_that_are_set_anew_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    assert list(doctor._keras()) == []
    (tmp_path / "keras.json").write_text('{"floatx": "float16", "backend": "jax", "epsilon": 1e-7}')
    found = [(name, fine, finding.partition(" is set")[0]) for name, fine, finding in doctor._keras()]
    assert found == [("Keras's backend", None, "'jax'"), ("Keras's floatx", None, "'float16'")]
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    assert next(doctor._keras())[2].startswith("'torch' is set, by KERAS_BACKEND or")


def test_another_pygame_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert list(doctor._pygame()) == []
    about = tmp_path / "pygame-2.6.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pygame\nVersion: 2.6.1\n")
    monkeypatch.syspath_prepend(tmp_path)
    ((name, fine, finding),) = doctor._pygame()
    assert (name, fine) == ("pygame", None) and "2.6.1 is installed over pygame-ce" in finding


def test_extras_are_named_with_the_command_that_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = SimpleNamespace(
        entry_points=[SimpleNamespace(value="worldmodels.cli:main")],
        requires=[
            "numpy>=2",
            'rich>=13; extra == "web"',
            'no-such-package<4,>=3; python_version >= "3.11" and extra == "minigrid"',
            'pytest>=8; extra == "test"',
        ],
    )
    monkeypatch.setattr(doctor, "distributions", lambda: [SimpleNamespace(entry_points=[]), ours])
    assert list(doctor._extras()) == [
        ("extra web", True, "rich"),
        ("extra minigrid", None, "without no-such-package: pip install 'worldmodels-lab[minigrid]'"),
    ]


@pytest.mark.parametrize(
    ("there", "fine", "finding"),
    [
        ({"emcc", "npm"}, True, "emcc, npm: make page"),
        ({"npm"}, None, "without emcc: on Debian or Ubuntu, apt install emscripten npm"),
    ],
)
def test_what_a_page_needs_is_named(
    monkeypatch: pytest.MonkeyPatch, there: set[str], fine: bool | None, finding: str
) -> None:
    monkeypatch.setattr(doctor.shutil, "which", lambda name: name if name in there else None)
    assert list(doctor._page()) == [("page in a browser", fine, finding)]
