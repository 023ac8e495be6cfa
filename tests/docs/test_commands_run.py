"""Each documented command runs to its end in shortened form, on tiny runs under a few names.

Commands that are equal in shortened form run once.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

import worldmodels
from worldmodels.cli import main

sys.path.insert(0, str(Path(__file__).parents[1]))
from test_documented_commands import COMMANDS

ELSEWHERE = {
    "--engine ray": "tests/cluster",
    "s3://": "tests/cluster/storage",
    "--web": "tests/player/web: it serves until it is stopped",
    "--page": "tests/player/test_publish_page.py: it needs what `make page` builds",
    "train ... ": "only a part of a command",
    "blinker:": "tests/docs/test_tutorials.py",
    "chaser:": "tests/docs/test_tutorials.py",
}
"""Commands with these words run in other tests."""
EXTRAS = {
    "minari:": "minari",
    "atari": "ale_py",
    "ALE/": "ale_py",
    "crafter": "crafter",
    "dmc": "shimmy",
    "onnx": "onnx",
    "search": "optuna",
}
"""Commands with these words need a package of an extra."""
NAMES = (
    (r"\bruns/(demo_ppo|ppo|other)\b|\b(OTHER|RUN_B)\b", "OTHER"),
    (r"\bruns/(learning_rates|two|on_policy)\b(?!/)", "GRID"),
    (r"\bruns/(?!games|generalisation|explored)\w+(/\w+)*(?![\w.])|\bRUN_A\b", "RUN"),
    (r"\b(two|mine)\.yaml\b", "grid.yaml"),
    (r"\b(demo|maze|blinker|play|sixteen|branch)\.mp4\b", "out.mp4"),
    (r"RUN@\d+", "RUN@300"),
    (r"\bFILE\b", "play.jsonl"),
    (r"\bSTEP\b|(?<=--checkpoint )\d+", "300"),
)
"""Names of the pages, and those of the test's runs and files in their place."""
FEWER = {"episodes": 2, "steps": 6, "horizon": 4, "together": 2, "trials": 1, "levels": 2, "jobs": 1, "at": 100}
"""Numbers of options in shortened form."""
TINY = (
    (r"debug", ""),
    (r"dreamer|demo$|crafter|dmc", " debug"),
    (r"simple|few_simple", " debug_simple"),
    (r"flow", " debug_simple model.kind=flow model.width=8 training.length=5"),
    (r"ppo$|ppo_nature|ppo_procgen|demo_ppo", " debug_ppo"),
    (r"sac", " debug_sac"),
    (r"td3|ddpg", " training.prefill=50 training.update_after=40 training.steps=120"),
    (r"vpg|trpo|ppo_clip", " training.rollout=50 training.steps=400"),
)
"""The first preset of a training, and the presets and settings after it that make it tiny."""
ADDED = {
    "certify": "--levels 2",
    "enjoy": "--steps 6",
    "grid generalisation": "--dry-run",
    "grid on_policy": "--dry-run",
    "eval (?!.*--mode)": "--episodes 2",
    "play": "--headless --steps 6 --video out.mp4",
    "record": "--steps 40",
    "search": "--trials 1",
    "shift": "--episodes 2",
    "test": "--episodes 2",
}
"""Patterns of commands, and options that shorten them; the last of equal ones counts."""
WRITING = ("play RUN --record", "record --policy RUN", "publish", "convert RUN", "grid grid.yaml --jobs")
"""Beginnings of commands that write what others read."""


def shortened(command: str) -> str:
    """Return the words of a command after the program's name, with small numbers and without a window."""
    for name, name_here in NAMES:
        command = re.sub(name, name_here, command)
    command = re.sub(r" --window\b", "", command.removeprefix("worldmodels "))
    for option, most in FEWER.items():
        found = re.search(rf"(?<=--{option} )[\d_]+", command)
        if found and int(found[0]) > most:
            command = command[: found.start()] + str(most) + command[found.end() :]
    if command.startswith("train"):
        return shorter_training(command)
    return " ".join([command, *(options for words, options in ADDED.items() if re.match(words, command))])


def shorter_training(command: str) -> str:
    """Return a training without its numbers of steps, with presets and settings after its own that make it tiny."""
    command = re.sub(r" training\.(steps|prefill|fit|improve)=[\d_]+| schedule\.\w+=\d+", "", command)
    found = re.match(r"train --config (\S+)", command)
    if found is None:
        return command
    command = re.sub(r"--logdir \S+", "--logdir new", command)
    tiny = next(tiny for preset, tiny in TINY if re.match(preset, found[1]))
    few = " training.turns=1 training.fit=4 training.improve=4" if " offline " in command else ""
    return f"{found[0]}{tiny}{command[found.end() :]} schedule.evaluate_every=0{few}"


SHORT = {shortened(command) for command in COMMANDS if not any(words in command for words in ELSEWHERE)}
FIRST = sorted(command for command in SHORT if command.startswith(WRITING))
ORDER = sorted(SHORT - {*FIRST}, key=lambda command: (command.startswith("prune"), command))
"""`prune` comes last, since it deletes what others read."""


def test_a_command_is_shortened() -> None:
    assert shortened("worldmodels eval runs/maze --episodes 512 --horizon 3 --levels both") == (
        "eval RUN --episodes 2 --horizon 3 --levels both --episodes 2"
    )
    assert shortened("worldmodels play runs/demo") == shortened("worldmodels play RUN")
    assert (
        shortened("worldmodels plot runs/two --est iqm --save two_iqm.png") == "plot GRID --est iqm --save two_iqm.png"
    )
    assert shortened("worldmodels train --config few_simple env.game=maze training.steps=9_000 --logdir runs/few") == (
        "train --config few_simple debug_simple env.game=maze --logdir new schedule.evaluate_every=0"
    )
    assert shortened("worldmodels test runs/on_policy/config_trpo/seed_0 --window") == "test RUN --episodes 2"
    assert 70 < len(SHORT) < len(COMMANDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs under the names of shortened commands, and the files that they read."""
    folder = tmp_path_factory.mktemp("pages")
    # So many steps that some episodes end.
    settings = {"env.num_levels": 20, "training.steps": 600}
    settings |= {"schedule.evaluate_every": 300, "schedule.checkpoint_every": 300}
    run = worldmodels.train("coinrun", "debug", settings, folder / "RUN")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["eval", "RUN", "--episodes", "2", "--videos", "0"]) == 0  # for `compare`
    for name in ("OTHER", "runs/maze", "runs/old", "GRID/lr_0/seed_0", "GRID/lr_1/seed_0"):
        shutil.copytree(run, folder / name)
    for preset in ("debug", "debug_ppo", "debug_simple"):
        worldmodels.train("coinrun", preset, {"env.num_levels": 5}, folder / "runs" / "generalisation" / preset)
    worldmodels.train("maze", ["dreamer_small", "debug", "explore"], {}, folder / "runs" / "explored")
    for seed in (0, 1):
        copy = folder / f"runs/games/pong/seed_{seed}"
        shutil.copytree(run, copy)
        config = (copy / "config.yaml").read_text()
        assert "game: coinrun" in config
        (copy / "config.yaml").write_text(config.replace("game: coinrun", "game: ALE/Pong-v5"))
    (folder / "grid.yaml").write_text(
        "config: debug\noverrides: {env.num_levels: 20, training.steps: 120, schedule.evaluate_every: 60}\n"
        "vary: {agent.entropy: [1e-4, 1e-3]}\n"
    )
    (folder / "shifts.yaml").write_text("harder: {distribution_mode: hard}\n")
    (folder / "keys.txt").write_text("1 press right\n3 release right\n4 tap x\n")
    return folder


@pytest.fixture(scope="module")
def written(folder: Path) -> Path:
    """The folder after the commands that write what others read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in FIRST:
            assert main(shlex.split(command)) == 0, command
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", ORDER)
def test_a_command_runs(
    command: str, written: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, package in EXTRAS.items():
        if words in command and not importlib.util.find_spec(package):
            pytest.skip(f"{package} is not installed")
    for name, few in (("predictions.frame_reader.UPDATES", 2), ("measures.readings.MOMENTS", 64)):
        monkeypatch.setattr(f"worldmodels.evaluation.{name}", few)
    monkeypatch.chdir(written)
    monkeypatch.setenv("XDG_STATE_HOME", str(written / "state"))
    shutil.rmtree("new", ignore_errors=True)
    status = main(shlex.split(command))
    printed = capsys.readouterr()
    assert status == 0, printed.err + printed.out
