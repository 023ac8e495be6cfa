"""Each tutorial works: its blocks of code run in order, in a folder of their own, with everything made tiny.

A block whose first line is a comment with the name of a file is that file. Of blocks of the shell each command of this
program runs; of the others, `make demo` is replaced by a tiny run, and `python FILE` runs the file.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from worldmodels.cli import main

ROOT = Path(__file__).parents[2]
TUTORIALS = ROOT / "docs" / "tutorials"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
FILE = re.compile(r"# (\w+\.(?:py|yaml|txt))\n")
SHORTER = (
    (r"--config dreamer_small\b", "--config debug schedule.evaluate_every=0"),
    (r"--config demo\b", "--config debug env.num_levels=20 schedule.evaluate_every=0"),
    (r"--config sac\b", "--config debug_sac schedule.evaluate_every=0"),
    (r" training\.prefill=[\d_]+", ""),
    (r"training\.steps=[\d_]+", "training.steps=260"),  # an episode of Blinker ends
    (r"\[few_ppo, few_dreamer\]", "[debug_ppo, debug]"),
    (r"seeds: 5", "seeds: 2"),
    (r"env\.game: coinrun", "env.game: bossfight, env.num_levels: 20"),  # its episodes are short
    (r"--episodes \d+", "--episodes 2"),
    (r"--horizon \d+", "--horizon 4"),
    (r"--steps \d+", "--steps 30"),
    (r"(worldmodels play (?!.*--headless).*)", r"\1 --headless --steps 4 --video play.mp4"),
    (r"windows=\d+", "windows=4"),
    (r"num_envs=16|\"coinrun\", 16", lambda found: found[0].replace("16", "2")),
    (r"n_steps=128, batch_size=256", "n_steps=8, batch_size=8"),
    (r"learner.learn\(40_000\)", "learner.learn(16)"),
    (r", 64, deterministic", ", 2, deterministic"),
)
"""What is tiny here in place of what stands on the page."""
NOT_RUN = ("pip ", "worldmodels foresee")
"""Commands that do not run here: `foresee` needs an episode that the game ended."""


def shorter(code: str) -> str:
    """Return code with everything made tiny."""
    for long, short in SHORTER:
        code = re.sub(long, short, code)
    return code


def lines(block: str) -> list[str]:
    """Return the commands of a block of the shell, without comments."""
    found = (re.split(r"\s+#", line)[0].strip() for line in block.replace("\\\n", " ").splitlines())
    return [line for line in found if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that stands for the one of `make demo`."""
    folder = tmp_path_factory.mktemp("demo") / "run"
    settings = "env.num_levels=20 training.steps=120 schedule.evaluate_every=0"
    assert main(["train", "--config", "debug", *settings.split(), "--logdir", str(folder)]) == 0
    return folder


@pytest.fixture
def follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo: Path) -> Callable[..., None]:
    """Return a function that does what a tutorial says, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def command(line: str) -> None:
        words = shlex.split(line)
        if line == "make demo":
            shutil.copytree(demo, "runs/demo")
        elif words[0] == "python":
            path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
            subprocess.run([sys.executable, *words[1:]], env={**os.environ, "PYTHONPATH": path}, check=True)
        else:
            assert words[0] == "worldmodels", line
            assert main(words[1:]) == 0, line

    def follow(page: str, until: str = "\0") -> None:
        for language, block in BLOCK.findall((TUTORIALS / page).read_text().split(until)[0]):
            if file := FILE.match(block):
                Path(file[1]).write_text(shorter(block[file.end() :]))
            elif language == "python":
                exec(compile(shorter(block), page, "exec"), {})
            else:
                for line in lines(block):
                    if not line.startswith(NOT_RUN):
                        command(shorter(line))

    return follow


def test_a_block_is_made_tiny() -> None:
    found = lines("make demo\n# a remark\nworldmodels play runs/demo   # it opens\n")
    assert [shorter(line) for line in found] == [
        "make demo",
        "worldmodels play runs/demo --headless --steps 4 --video play.mp4",
    ]
    assert shorter("worldmodels train --config sac training.steps=10_000 training.prefill=1_000 --logdir a") == (
        "worldmodels train --config debug_sac schedule.evaluate_every=0 training.steps=260 --logdir a"
    )


def test_playing_inside_a_model(follow, tmp_path):
    follow("play_inside.md")
    assert all((tmp_path / name).stat().st_size for name in ("play.jsonl", "branch.mp4", "demo.mp4"))


@pytest.fixture
def modules_of_ones_own() -> Iterator[None]:
    """Forget the modules that a tutorial writes and imports."""
    yield
    for name in ("blinker", "chaser"):
        sys.modules.pop(name, None)


def test_an_environment_of_ones_own_trains(follow, tmp_path, modules_of_ones_own):
    follow("own_environment.md", until="## 4.")
    assert '"episode/return"' in (tmp_path / "runs/blinker/metrics.jsonl").read_text()


@pytest.mark.slow
def test_environments_of_ones_own(follow, tmp_path, modules_of_ones_own):
    follow("own_environment.md")
    assert (tmp_path / "curves.png").stat().st_size and (tmp_path / "runs/chaser_sac/metrics.jsonl").stat().st_size


@pytest.mark.slow
def test_a_model_is_judged(follow, tmp_path, capsys, monkeypatch):
    for name, few in (("predictions.frame_reader.UPDATES", 2), ("measures.readings.MOMENTS", 64)):
        monkeypatch.setattr(f"worldmodels.evaluation.{name}", few)
    follow("is_my_model_any_good.md")
    assert "image error over copying, 15 steps ahead: " in capsys.readouterr().out
    assert list((tmp_path / "runs/young/eval").glob("*_model.json"))


@pytest.mark.slow
def test_two_methods_are_compared(follow, tmp_path):
    follow("two_methods_five_seeds.md")
    assert "Better than" in (tmp_path / "runs/two/report.html").read_text()


@pytest.mark.slow
def test_an_agent_of_stable_baselines3_learns_in_a_model(follow, tmp_path):
    pytest.importorskip("stable_baselines3")
    follow("sb3_inside_a_dream.md")
    assert (tmp_path / "agent.zip").stat().st_size
