"""`worldmodels certify`: every game stands the test, and failures are told."""

from __future__ import annotations

import json

import numpy as np
import pytest

from worldmodels.cli import main
from worldmodels.core.errors import UserError
from worldmodels.envs.games import certify as certifier
from worldmodels.envs.games.certify import LevelRange, certify, certify_and_report, plan
from worldmodels.envs.games.table import GAME_INFO


@pytest.mark.parametrize(("name", "mode"), [(name, mode) for name, info in GAME_INFO.items() for mode in info.modes])
def test_a_sample_of_every_game_and_mode_passes(name, mode):
    result = certify(GAME_INFO[name], mode, LevelRange(200, first=5000))
    assert result.failures() == []
    assert result.levels == (1 if mode == "exploration" else 200)
    if result.median is not None:
        assert 0 < result.median <= result.percentile_95 <= result.longest <= GAME_INFO[name].modes[mode]


def test_the_result_does_not_depend_on_threads_and_chunks():
    found = [
        certify(GAME_INFO["maze"], "easy", LevelRange(600, threads=threads)).tree() | {"seconds": 0}
        for threads in (1, 3)
    ]
    assert found[0] == found[1]
    one, two = (certify(GAME_INFO["maze"], "easy", LevelRange(count)).longest for count in (300, 600))
    assert one <= two == found[0]["longest"]


def test_command_prints_a_table_and_writes_json(capsys, tmp_path):
    file = tmp_path / "levels.json"
    assert main(["certify", "maze", "starpilot", "--mode", "easy", "--levels", "20", "--json", str(file)]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split("  ")[0] == "game" and len({len(line) for line in (heading, *lines)}) == 1
    assert [line.split()[:5] for line in lines] == [
        ["maze", "easy", "20", "0", "0"],
        ["starpilot", "easy", "20", "0", "0"],
    ]
    assert lines[1].split()[5:8] == ["-", "-", "-"]
    maze, starpilot = json.loads(file.read_text())
    assert maze["passed"] and maze["unsolvable"] == [] and starpilot["median"] is None


def test_failures_are_listed_with_their_seeds(capsys, monkeypatch, tmp_path):
    """Of levels 100 to 129, let every other one be unsolvable and the last end at once."""

    class Broken:
        @staticmethod
        def certify(game, mode, first, count, threads):
            seeds = np.arange(first, first + count)
            return np.full(count, 7, np.int32), seeds % 2 == 1, seeds == 129

    monkeypatch.setattr(certifier, "_native", Broken)
    file = tmp_path / "levels.json"
    assert main(["certify", "maze", "--mode", "hard", "--levels=30", "--first=100", "--json", str(file)]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"{'maze':18}hard              30         15           1      7    7       7     0.0",
        "maze hard, unsolvable: 100, 102, 104, 106, 108, 110, 112, 114, 116, 118 ...",
        "maze hard, ends at once: 129",
    ]
    assert json.loads(file.read_text())[0]["unsolvable"] == list(range(100, 130, 2))


def test_all_games_in_all_modes_are_the_default():
    assert plan(["all"]) == [(info, mode) for info in GAME_INFO.values() for mode in info.modes]


def test_games_without_a_mode_are_left_out(capsys):
    names = [name for name, info in GAME_INFO.items() if "hard" in info.modes]
    assert [info.name for info, _ in plan(["all"], ["hard"])] == names
    only_easy = next(name for name, info in GAME_INFO.items() if "extreme" not in info.modes)
    assert certify_and_report(["chaser", only_easy], ["extreme"], LevelRange(1), None) == 0
    assert f"Left out, for they have no mode 'extreme': {only_easy}.\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: plan(["mase"]), "Did you mean 'maze'?"),
        (lambda: plan(["maze"], ["hrad"]), "Did you mean 'hard'?"),
        (lambda: LevelRange(0), "received 0 and 2"),
        (lambda: LevelRange(10, first=-1), "received -1 to 8"),
        (lambda: LevelRange(10, first=2**31 - 5), "Level seeds are 0 to 2147483646"),
    ],
)
def test_mistakes_are_answered(call, text):
    with pytest.raises(UserError) as error:
        call()
    assert text in str(error.value)
