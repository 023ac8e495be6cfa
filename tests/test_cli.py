"""The command line: quick to answer, helpful when wrong."""

import subprocess
import sys

import pytest

from worldmodels.cli import main
from worldmodels.runtime.show_config import show_config
from worldmodels.training.launch import DEFAULT_PRESETS


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    for command in ("train", "config", "eval", "play", "enjoy", "plot", "list", "certify", "doctor"):
        assert command in text


def test_without_a_command_the_help_is_printed(capsys):
    assert main([]) == 0
    assert "COMMAND" in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "meant"), [("trian", "train"), ("evl", "eval"), ("confg", "config")])
def test_an_unknown_command_suggests_the_nearest(typed, meant, capsys):
    assert main([typed, "--logdir", "x"]) == 2
    out, error = capsys.readouterr()
    assert error.startswith(f"worldmodels: Unknown command '{typed}'. Did you mean '{meant}'? Commands: train, ")
    assert out == ""


def test_the_help_of_train_names_the_default_configuration(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    text = capsys.readouterr().out
    assert all(name in text for name in DEFAULT_PRESETS)


def test_config_prints_a_configuration_or_a_difference(capsys):
    assert main(["config", "debug", "env.game=maze", "seed=3"]) == 0
    assert "  game: maze\n" in capsys.readouterr().out
    assert main(["config"]) == 0
    assert capsys.readouterr().out == show_config(DEFAULT_PRESETS, [])
    assert main(["config", "--diff", "dreamer", "dreamer_small"]) == 0
    assert "model.recurrent" in capsys.readouterr().out
    assert main(["config", "seed=1", "--diff", "dreamer", "dreamer_small"]) == 2
    assert "received 'seed=1' besides" in capsys.readouterr().err


def test_help_loads_neither_tensorflow_nor_pygame():
    code = (
        "import sys\nfrom worldmodels.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "sys.exit(any(name in sys.modules for name in ('tensorflow', 'pygame')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_a_missing_run_is_an_error_in_one_line(capsys):
    assert main(["eval", "no/such/run"]) == 2
    error = capsys.readouterr().err
    assert "no/such/run" in error and "Traceback" not in error


def test_a_misspelt_key_names_the_nearest_one(capsys, tmp_path):
    assert main(["train", "env.gaem=maze", "--logdir", str(tmp_path / "run")]) == 2
    assert "env.game" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_misspelt_preset_names_the_nearest_one(capsys, tmp_path):
    assert main(["train", "--config", "dreamer_smal", "--logdir", str(tmp_path / "run")]) == 2
    assert "dreamer_small" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("what", "some"),
    [("games", "coinrun"), ("models", "rssm"), ("agents", "actor_critic"), ("configs", "dreamer_small")],
)
def test_list_prints_the_names(what, some, capsys):
    assert main(["list", what]) == 0
    assert some in capsys.readouterr().out.split()


def test_the_program_ends_with_its_status_although_a_thread_goes_on():
    code = (
        "import atexit, sys, threading\nfrom worldmodels.cli import main\n"
        "atexit.register(print, 'registered')\nthreading.Thread(target=threading.Event().wait).start()\n"
        "sys.argv[1:] = ['list', 'games']\nmain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert done.stdout.split()[0] == "bigfish" and done.stdout.split()[-1] == "registered"


def test_the_program_ends_with_the_status_of_a_mistake():
    command = [sys.executable, "-m", "worldmodels", "eval", "no/such/run"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (2, "worldmodels: There is no run folder 'no/such/run'.\n")
