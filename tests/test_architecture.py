"""The architecture, enforced: who imports whom, and what no module does at all. Lazy imports count too."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from layers import circles, report

ROOT = Path(__file__).parents[1] / "worldmodels"

LAYERS = {
    "core": 0,
    **dict.fromkeys(["envs", "replay", "models", "telemetry", "analysis"], 1),
    **dict.fromkeys(["imagination", "datasets"], 2),
    "agents": 3,
    "config": 4,
    "acting": 5,
    "loading": 6,
    "recordings": 7,
    "evaluation": 8,
    "training": 9,
    **dict.fromkeys(["experiments", "player"], 10),
    **dict.fromkeys(["cli", "cluster"], 11),
}

# Who alone may import a third-party module: packages, or single modules where the name has a dot.
RESERVED = {
    "ruamel": ["core"],
    "safetensors": ["core"],
    "tensorflow.summary": ["telemetry"],
    "tensorboard": ["telemetry"],
    "rich": ["telemetry"],
    "av": ["telemetry"],
    "gymnasium": ["envs", "imagination"],
    "worldmodels.envs.native": ["envs"],
    "zstandard": ["replay"],
    "stable_baselines3": ["envs.sb3"],
    "h5py": ["datasets"],
    "minari": ["datasets"],
    "tensorflow_probability": ["models.distributions"],
    "matplotlib": ["analysis"],
    "pygame": ["player"],
    "aiohttp": ["player.web"],
    "segno": ["player.web.qr_code"],
    "ray": ["cluster.ray_connection"],
    "fsspec": ["cluster.storage.remote"],
}

# Packages that work on a machine without TensorFlow.
WITHOUT_TENSORFLOW = ["core", "envs", "replay", "analysis", "datasets"]

# Packages that only an extra brings, and the modules that cannot be imported without one.
OF_EXTRAS = {"aiohttp", "fsspec", "minari", "ray", "segno", "stable_baselines3"}
NEED_EXTRAS = {
    "cluster.ray_collector",
    "cluster.ray_connection",
    "cluster.ray_engine",
    "cluster.storage.remote",
    "envs.sb3",
    "player.web.server",
}

# The sizes that a reader can hold in mind.
MOST_LINES = 300
MOST_FILES = 16
MOST_IMPORTS = 24

# They run what they read.
UNSAFE_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
UNSAFE_CALLS = {"eval", "exec"}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name without "worldmodels."; packages by the name of their folder."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix("__init__").rstrip(".")
        found[name] = ast.parse(path.read_text(), str(path))
    return found


@cache
def imports(name: str) -> list[tuple[int, str]]:
    """(line, full dotted name) of everything that a module imports, wherever in it the import stands."""
    found = []
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(name, node)
            found += [(node.lineno, f"{base}.{alias.name}") for alias in node.names]
    return found


def _absolute(name: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    is_package = (ROOT / Path(*name.split(".")) / "__init__.py").is_file()
    parts = f"worldmodels.{name}".rstrip(".").split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, node.module] if node.module else parts)


def own_imports(name: str) -> Iterator[tuple[int, str]]:
    """(line, module without "worldmodels.") of what a module imports from this package."""
    for line, full in imports(name):
        if _root(full) == "worldmodels":
            target = full.removeprefix("worldmodels").lstrip(".")
            # `from worldmodels.core.types import Step` imports a name of a module, not a module.
            yield line, target if target in modules() else target.rpartition(".")[0]


def package(name: str) -> str:
    """The layer table's word for a module; the few modules at the top belong to the command line."""
    first = name.split(".")[0]
    return "cli" if first in ("", "__main__", "cli") else first


def test_every_package_has_a_layer() -> None:
    assert {package(name) for name in modules()} <= set(LAYERS)


def test_imports_run_one_way() -> None:
    report(
        [
            f"{name}:{line} (layer {LAYERS[package(name)]}) imports {target} (layer {LAYERS[package(target)]})"
            for name in modules()
            for line, target in own_imports(name)
            if package(target) != package(name) and LAYERS[package(target)] >= LAYERS[package(name)]
        ]
    )


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {name: {target for _, target in own_imports(name)} - {name} for name in modules()}
    report(circles(graph))


def test_files_and_folders_stay_small() -> None:
    """A file fits a few screens, and a folder's files can be told apart at a glance."""
    files = [path for path in ROOT.rglob("*.py") if "__pycache__" not in path.parts]
    lines = {path: len(path.read_text().splitlines()) for path in files}
    shelves = Counter(path.parent for path in files)
    report(
        [
            *(f"{path} has {count} lines, above {MOST_LINES}" for path, count in lines.items() if count > MOST_LINES),
            *(
                f"{path} holds {count} files, above {MOST_FILES}"
                for path, count in shelves.items()
                if count > MOST_FILES
            ),
        ]
    )


def test_no_module_needs_too_many_others() -> None:
    counts = {name: len({target for _, target in own_imports(name)} - {name}) for name in modules()}
    report(
        [
            f"{name} imports {count} modules, above {MOST_IMPORTS}"
            for name, count in counts.items()
            if count > MOST_IMPORTS
        ]
    )


def test_who_has_no_extra_can_import_everything_else() -> None:
    needs = {name: set(_at_import(name)) for name in modules()}
    found: set[str] = set()
    while more := {name for name, full in needs.items() if full & (OF_EXTRAS | found)} - found:
        found |= more
    assert found <= NEED_EXTRAS, "These modules import a package of an extra, or a module that does, at their top."
    assert {"player.web.server", "envs.sb3", "cluster.ray_engine"} <= found


def _at_import(name: str) -> Iterator[str]:
    """Return the third-party packages and own modules that a module imports at its top."""
    lazy = {
        inner
        for node in ast.walk(modules()[name])
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.Import) and node not in lazy:
            yield from (_root(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node not in lazy:
            base = _absolute(name, node)
            yield _root(base)
            for full in (base, *(f"{base}.{alias.name}" for alias in node.names)):
                yield full.removeprefix("worldmodels.")


def test_third_party_modules_stay_where_they_belong() -> None:
    problems = []
    for name in modules():
        for line, full in [*imports(name), *_attributes_of_tensorflow(name)]:
            for reserved, owners in RESERVED.items():
                if _within(full, reserved) and not any(_within(name, owner) for owner in owners):
                    problems.append(f"{name}:{line} uses {full}, which belongs to {' and '.join(owners)}")
    report(problems)


def _attributes_of_tensorflow(name: str) -> Iterator[tuple[int, str]]:
    """`tf.summary` needs no import of its own."""
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "tf":
            yield node.lineno, f"tensorflow.{node.attr}"


def test_the_logic_of_the_player_does_not_know_how_it_is_shown() -> None:
    report(
        [
            f"{name}:{line} imports {full}"
            for name in modules()
            if _within(name, "player.session")
            for line, full in imports(name)
            if _root(full) == "pygame" or _within(full, "worldmodels.player.view")
        ]
    )


def test_only_one_table_names_the_modules_for_many_machines() -> None:
    """`core/cluster.py` loads them, so that a command for one machine imports none of them."""
    others = [name for name in modules() if package(name) != "cluster"]
    assert [name for name in others if any(package(target) == "cluster" for _, target in own_imports(name))] == []
    assert [name for name in others if any(map(_names_cluster, ast.walk(modules()[name])))] == ["core.cluster"]


def _names_cluster(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, str) and value.startswith("worldmodels.cluster.")


def test_nobody_but_agents_knows_a_kind_of_agent() -> None:
    """Others import the protocol, the base of configurations and the kit; they neither import nor ask for a kind."""
    known = {"agents", "agents.api", "agents.config", "agents.conformance"}
    problems = []
    for name, tree in modules().items():
        if package(name) == "agents":
            continue
        problems += [
            f"{name}:{line} imports {target}"
            for line, target in own_imports(name)
            if _within(target, "agents") and target not in known
        ]
        problems += [
            f"{name}:{node.lineno} asks {ast.unparse(node)}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "getattr", "hasattr")
            and "agent" in ast.unparse(node.args[0]).lower()
        ]
    report(problems)


def test_what_works_without_tensorflow_does_not_import_it() -> None:
    report(
        [
            f"{name}:{line} imports {full}"
            for name in modules()
            if package(name) in WITHOUT_TENSORFLOW
            for line, full in imports(name)
            if _root(full) in ("tensorflow", "keras", "tf_keras")
        ]
    )


def test_nothing_runs_what_it_reads() -> None:
    problems = []
    for name, tree in modules().items():
        problems += [f"{name}:{line} imports {full}" for line, full in imports(name) if _root(full) in UNSAFE_MODULES]
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in UNSAFE_CALLS:
                problems.append(f"{name}:{node.lineno} calls {node.func.id}")
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle" and ast.unparse(node.value) != "False":
                problems.append(f"{name}:{node.value.lineno} allows pickle")
    report(problems)


def test_no_assert_outside_tests() -> None:
    report(
        [
            f"{name}:{node.lineno} asserts; python -O would skip it, and a user deserves a sentence"
            for name, tree in modules().items()
            for node in ast.walk(tree)
            if isinstance(node, ast.Assert)
        ]
    )


@pytest.mark.parametrize(
    "name, absent",
    [
        ("worldmodels", ["tensorflow", "keras", "pygame", "matplotlib"]),
        ("worldmodels.cli", ["tensorflow", "keras", "pygame", "matplotlib"]),
        ("worldmodels.config.show", ["tensorflow", "keras", "pygame", "matplotlib"]),
        ("worldmodels.config.run_config", ["tensorflow", "keras", "pygame", "matplotlib"]),
        ("worldmodels.telemetry.logger", ["tensorflow", "keras"]),
        ("worldmodels.experiments", ["tensorflow", "keras", "pygame", "matplotlib"]),
    ],
)
def test_importing_is_light(name: str, absent: list[str]) -> None:
    program = f"import sys, {name}; print(*sorted(set({absent}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_this_test_sees_imports_of_every_form() -> None:
    """The walk itself, on a module made for it."""
    source = "import a.b\ndef f():\n    from worldmodels.core import errors\n    from .tree import flatten\n"
    modules()["core.sample"] = ast.parse(source)
    try:
        full = [name for _, name in imports("core.sample")]
        assert full == ["a.b", "worldmodels.core.errors", "worldmodels.core.tree.flatten"]
        assert [name for _, name in own_imports("core.sample")] == ["core.errors", "core.tree"]
    finally:
        del modules()["core.sample"]


def _within(name: str, owner: str) -> bool:
    return name == owner or name.startswith(owner + ".")


def _root(name: str) -> str:
    return name.split(".")[0]
