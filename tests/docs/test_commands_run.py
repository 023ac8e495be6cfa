"""Each documented command but `train` runs to its end in shortened form, on copies of one tiny run.

`tests/test_presets.py` is for the presets of `train`.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import worldmodels
from worldmodels.cli import main

sys.path.insert(0, str(Path(__file__).parents[1]))
from test_documented_commands import COMMANDS

ELSEWHERE = {
    "worldmodels train": "tests of presets and of training",
    "--web": "tests/player/web: it serves until it is stopped",
    "--engine ray": "tests/cluster, which need Ray",
    "s3://": "tests/cluster/storage",
    "minari:": "tests/datasets, which need Minari",
    "Pendulum-v1": "tests of foreign environments",
    "--page": "tests/player/test_publish_page.py: it needs what `make page` builds",
}
"""Commands with these words have other tests, or need an extra."""
RUNNABLE = [command for command in COMMANDS if not any(words in command for words in ELSEWHERE)]
FEWER = {"--episodes": 2, "--steps": 6, "--horizon": 4, "--together": 2, "--trials": 1, "--levels": 2, "--jobs": 1}
"""Numbers of options in shortened form."""
ADDED: dict[str, str] = {
    "certify": "--levels 2",
    "grid": "--dry-run",
    "play": "--headless --steps 6 --video out.mp4",
    "search": "--trials 1",
    "shift": "--episodes 2",
    "test": "--episodes 2",
}
"""Options that shorten a command; the last of equal ones counts."""
ORDER = ("record", "--record", "eval", "publish")
"""Words of commands that come first: others read what they write. `prune` comes last."""
COPIES = [
    *("GRID/RUN", "RUN", "OTHER", "RUN_A", "RUN_B"),
    *(f"runs/{name}" for name in ("demo", "demo_ppo", "maze", "other", "blinker", "young", "flow", "mine")),
    *(f"runs/{name}" for name in ("dreamer", "ppo", "two/a", "learning_rates/a", "games/a", "received")),
    "runs/on_policy/config_trpo/seed_0",
]
"""The names of runs in the pages."""
GRID = "config: debug\noverrides: {env.num_levels: 4}\nseeds: 1\n"


def shortened(command: str, last_step: int) -> list[str]:
    """Return the words of a command after the program's name, with small numbers and without a window."""
    words = [word for word in shlex.split(command.replace("STEP", str(last_step)))[1:] if word != "--window"]
    for index, word in enumerate(words[:-1]):
        if word == "--checkpoint":
            words[index + 1] = str(last_step)
        elif word in FEWER and re.fullmatch(r"\d+", words[index + 1]):
            words[index + 1] = str(min(FEWER[word], int(words[index + 1])))
    return [*words, *shlex.split(ADDED.get(words[0], ""))]


def test_a_command_is_shortened() -> None:
    assert shortened("worldmodels eval RUN --episodes 512 --horizon 3 --levels both", 40) == (
        ["eval", "RUN", "--episodes", "2", "--horizon", "3", "--levels", "both"]
    )
    assert shortened("worldmodels grid mine.yaml --jobs 2", 40) == ["grid", "mine.yaml", "--jobs", "1", "--dry-run"]
    assert shortened("worldmodels test RUN --window --checkpoint STEP", 40)[:4] == ["test", "RUN", "--checkpoint", "40"]
    assert 60 < len(RUNNABLE) < len(COMMANDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with copies of a run under the names that the pages use, and the files that they name."""
    folder = tmp_path_factory.mktemp("pages")
    changes = {"env.num_levels": 4, "schedule.evaluate_every": 200}
    run = worldmodels.train("coinrun", "debug", changes, folder / "run")
    for name in COPIES:
        shutil.copytree(run, folder / name)
    for levels in (4, 8):
        _with_config(
            run, folder / "runs" / "generalisation" / f"levels_{levels}", "num_levels: 4", f"num_levels: {levels}"
        )
    for name in ("mine", "two"):
        (folder / f"{name}.yaml").write_text(GRID)
    (folder / "shifts.yaml").write_text("harder: {distribution_mode: hard}\n")
    (folder / "keys.txt").write_text("1 down right\n3 up right\n")
    return folder


def _with_config(run: Path, copy: Path, old: str, new: str) -> None:
    shutil.copytree(run, copy)
    text = (copy / "config.yaml").read_text()
    assert old in text
    (copy / "config.yaml").write_text(text.replace(old, new))


@pytest.fixture
def call(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    """Return a function that runs a shortened command in the folder, and returns its exit status."""
    monkeypatch.chdir(folder)
    last = max(int(path.name) for path in (folder / "RUN" / "checkpoints").iterdir() if path.name.isdigit())
    return lambda command: main(shortened(command, last))


def rank(command: str) -> int:
    words = command.split()
    return (
        len(ORDER) + ("prune" in words)
        if not set(ORDER) & set(words)
        else min(map(ORDER.index, set(ORDER) & set(words)))
    )


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(RUNNABLE, key=rank))
def test_a_command_runs(command: str, call: Callable[[str], int], capsys: pytest.CaptureFixture[str]) -> None:
    status = call(command)
    printed = capsys.readouterr()
    assert status == 0, printed.err + printed.out
