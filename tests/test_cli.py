"""The command line: quick to answer, helpful when wrong."""

import subprocess
import sys

import pytest

from worldmodels.cli import main


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    for command in ("train", "eval", "play", "enjoy", "plot", "list", "certify", "doctor"):
        assert command in text


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
