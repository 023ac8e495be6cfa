"""No flag of a command is taken without effect: each is refused where it has none."""

from __future__ import annotations

import argparse
import shlex

import pytest

from worldmodels.cli import main, parser

COMMANDS: dict[str, argparse.ArgumentParser] = next(iter(parser()._subparsers._group_actions)).choices  # type: ignore
CLUSTER = {
    "address": "--address a:1",
    "cores_per_run": "--cores-per-run 1",
    "memory_per_run": "--memory-per-run 1",
    "gpus_per_run": "--gpus-per-run 1",
}
REFUSED = {
    "train": {
        "address": "--logdir LOG env.game=maze --address a:1",
        "engine": "--logdir LOG env.game=maze --engine ray",
    }
    | {"checkpoint": "--logdir LOG env.game=maze --checkpoint 5"},
    "grid": {name: f"learning_rates {words}" for name, words in CLUSTER.items()}
    | {"fetch_replay": "learning_rates --fetch-replay", "storage": "learning_rates --dry-run --storage file:///x"},
    "config": {"words": "seed=1 --diff dreamer dreamer_small"},
    "eval": {name: f"RUN {words}" for name, words in CLUSTER.items()}
    | {
        "planner": "RUN --planner tiny",
        "agent": "RUN --agent random --mode model",
        "temperatures": "RUN --agent random --temperatures 1",
        "model_temperatures": "RUN --agent random --model-temperatures 1",
        "noops": "RUN --mode imagined --noops 1",
        "episodes": "RUN --mode model --episodes 1",
        "max_steps": "RUN --mode model --max-steps 1",
        "context": "RUN --agent random --context 1",
        "horizon": "RUN --agent random --horizon 1",
        "windows": "RUN --agent planner --windows 1",
        "all_checkpoints": "RUN --all-checkpoints --checkpoint 1",
    },
    "shift": {"games": "RUN --shifts x.yaml --games maze"},
    "play": {
        "option": "RUN --option num_levels=1",
        "levels": "--game maze --levels test",
        "alone": "--game maze --alone real",
        "start": "RUN --start game",
        "policy": "--game maze --policy",
        "policy_temperature": "--game maze --policy-temperature 0",
        "temperature": "RUN --alone real --temperature 0",
        "put_back_every": "RUN --alone model --put-back-every 5",
        "host": "RUN --host 0.0.0.0",
        "port": "RUN --port 1",
        "width": "RUN --width 100",
        "headless": "RUN --headless --web --video a.mp4 --steps 1",
        "record": "RUN --alone model --record a.jsonl",
    },
    "test": {"deterministic": "RUN --deterministic --temperature 0.5", "rate": "RUN --rate 5"},
    "plot": {
        **{
            name: f"RUN --view seeds --{name} {words}"
            for name, words in (("x", "step"), ("smooth", "2"), ("est", "min"))
        },
        **{name: f"RUN --{name} {words}" for name, words in (("tasks", "maze"), ("normalize", "human"))},
        **{name: f"RUN --{name} {words}" for name, words in (("baselines", "human"), ("statistics", "iqm"))},
        "scores": "RUN --view tasks --scores a.yaml",
        "columns": "RUN --columns 2",
        "xlim": "RUN --view seeds --xlim 0 1",
        "value": "RUN --view seeds --value a",
        "export": "RUN --view seeds --export a.csv",
        "count": "RUN --view tasks --count",
        "group": "RUN --count --group path",
    },
    "record": {"temperature": "maze --steps 1 --out a.npz --temperature 0.5"},
    "publish": {"licence": "RUN --page folder --licence MIT"},
}
"""Flags that have an effect only beside others, with words in which they have none."""
ALWAYS = {
    "train": "config overrides logdir profile",
    "grid": "file jobs retry dry_run engine",
    "search": "file trials measure minimize jobs retry seed",
    "config": "diff",
    "eval": "path mode levels checkpoint videos seed jobs engine storage",
    "shift": "path shifts episodes max_steps temperature context horizon windows checkpoint seed",
    "compare": "paths",
    "play": "paths game view keys key_script web steps script pictures video zoom rate seed",
    "replay": "file game",
    "foresee": "path file episode horizon seed",
    "enjoy": "path steps levels video width zoom rate temperature policy_temperature put_back_every seed",
    "test": "path episodes max_steps levels num_levels together temperature checkpoint window video seed",
    "plot": "paths view legend select exclude save",
    "report": "paths save films normalize at group legend select exclude",
    "record": "game policy steps out option levels seed",
    "convert": "source out image_size",
    "export": "path out what format num_envs checkpoint",
    "publish": "path out page title checkpoint",
    "gallery": "",
    "list": "what folder",
    "prune": "path checkpoints replay videos yes",
    "completion": "shell",
    "certify": "games mode levels first threads json",
    "check": "folder leave_out",
    "doctor": "",
    "trust": "path",
}
"""The other flags."""


def test_every_flag_of_every_command_is_in_a_table():
    for name, command in COMMANDS.items():
        flags = {action.dest for action in command._actions} - {"help"}
        assert flags == {*ALWAYS[name].split(), *REFUSED.get(name, ())}, name


@pytest.mark.parametrize(
    ("command", "flag", "words"),
    [(command, flag, words) for command, flags in REFUSED.items() for flag, words in flags.items()],
)
def test_a_flag_without_effect_is_refused(tmp_path, monkeypatch, capsys, command, flag, words):
    monkeypatch.chdir(tmp_path)
    given = [word.replace("LOG", "runs/new").replace("RUN", "runs/none") for word in shlex.split(words)]
    monkeypatch.setenv("SDL_VIDEODRIVER", "none of all")  # no window opens if the flag is taken
    assert main([command, *given]) == 2
    error = capsys.readouterr().err
    assert "none of all" not in error, error
    assert "runs/none" not in error and "runs' holds no run" not in error, error  # the flag is refused, not the folder
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize(
    ("game", "option"),
    [
        *((game, f"{name}=2") for game in ("maze", "CartPole-v1") for name in ("workers", "num_envs", "num_threads")),
        *((game, option) for game in ("maze", "CartPole-v1") for option in ("image_size=32", "image_height=32")),
        *(("maze", option) for option in ("game=coinrun", "sticky_actions=0.1", "nonsense=1")),
        *(("CartPole-v1", option) for option in ("game=Pendulum-v1", "use_backgrounds=true", "grey=true")),
    ],
)
def test_an_option_of_the_player_that_acts_on_nothing_is_refused(capsys, game, option):
    assert main(["play", "--game", game, "--option", option, "--headless", "--steps", "1", "--video", "a.mp4"]) == 2
    assert option.partition("=")[0] in capsys.readouterr().err


@pytest.mark.parametrize("words", ["--option num_levels=3", "--option num_levels=3 --record a.jsonl"])
def test_options_without_a_game_to_play_are_refused(tmp_path, monkeypatch, capsys, words):
    monkeypatch.chdir(tmp_path)
    assert main(["play", *words.split()]) == 2
    assert "worldmodels: " in capsys.readouterr().err and not list(tmp_path.rglob("*"))


@pytest.mark.parametrize(("game", "options"), [("maze", "num_levels=3"), ("CartPole-v1", "time_limit=7")])
def test_a_script_is_played_with_its_own_options(tmp_path, monkeypatch, capsys, game, options):
    monkeypatch.chdir(tmp_path)
    play = ["play", "--game", game, "--headless", "--steps", "2", "--video", "a.mp4", "--option", options]
    assert main([*play, "--record", "a.jsonl"]) == 0
    assert main([*play, "--script", "a.jsonl"]) == 0
    capsys.readouterr()
    assert main([*play[:-1], options.replace(options[-1], "5"), "--script", "a.jsonl"]) == 2
    assert f"{options.partition('=')[0]} {options[-1]}. Received 5." in capsys.readouterr().err
