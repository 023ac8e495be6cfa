"""The command line: quick to answer, helpful when wrong."""

import errno
import os
import subprocess
import sys

import pytest

from worldmodels.cli import main, parser
from worldmodels.config.show import show_config
from worldmodels.training.launch import DEFAULT_PRESETS


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    for command in ("train", "grid", "config", "eval", "play", "enjoy", "plot", "list", "certify", "doctor"):
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


def test_a_missing_run_is_told_before_tensorflow_is_loaded():
    commands = "['eval', 'no/run'], ['test', 'no/run'], ['foresee', 'no/run', 'no.jsonl']"
    code = (
        f"import sys\nfrom worldmodels.cli import main\nstatus = [main(command) for command in [{commands}]]\n"
        "sys.exit(status != [2, 2, 2] or 'tensorflow' in sys.modules)"
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
    [
        ("games", "coinrun"),
        ("models", "rssm"),
        ("agents", "actor_critic"),
        ("configs", "dreamer_small"),
        ("grids", "learning_rates"),
    ],
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


def run(*words, **environment):
    command = [sys.executable, "-m", "worldmodels", *words]
    return subprocess.run(command, capture_output=True, env={**os.environ, **environment})


def test_an_ascii_terminal_gets_ascii(tmp_path):
    name = str(tmp_path / "grün · …")
    done = run("eval", name, PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 2 and b"gr\\xfcn - ..." in done.stderr and b"Traceback" not in done.stderr


def test_list_says_what_a_preset_stands_on(capsys):
    assert main(["list", "configs"]) == 0
    lines = {line.split()[0]: line.partition(" ")[2].strip() for line in capsys.readouterr().out.splitlines()}
    assert " on " not in lines["dreamer"] and lines["100k_ppo"].endswith(" (on ppo, few_agent)")
    over = "(over one of dreamer_small, dreamer, dreamerv3, ppo_nature)"
    assert lines["crafter_env"] == f"Crafter, with the success rates of its achievements. {over}"
    assert all(len(about.split()) > 3 for about in lines.values())


def test_a_full_or_closed_output_is_no_traceback():
    words = [sys.executable, "-m", "worldmodels", "list", "games"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1) and b"No space left on device" in done.stderr
    closed = subprocess.run(words, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1))
    assert (closed.returncode, closed.stderr) == (0, b"")


def test_what_the_system_refuses_is_told_and_a_mistake_of_the_program_is_not_hidden(monkeypatch, capsys):
    def failing(error):
        def names_of(what):
            raise error

        monkeypatch.setattr("worldmodels.config.show.names_of", names_of)
        return main(["list", "games"])

    assert failing(OSError(errno.EROFS, "Read-only file system", "/mnt/a")) == 2
    assert failing(OSError(errno.EIO, "Input/output error")) == 2
    assert failing(MemoryError()) == 2
    errors = capsys.readouterr().err.splitlines()
    assert errors[0] == "worldmodels: '/mnt/a' cannot be used: Read-only file system."
    assert errors[1:] == [
        "worldmodels: The system refused to read or write: Input/output error.",
        "worldmodels: There is not enough memory for this command.",
    ]
    for bug in (ValueError("a bug"), OSError(errno.EBADF, "Bad file descriptor"), OSError("some library")):
        with pytest.raises(type(bug)):
            failing(bug)


def test_plot_passes_everything_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("a_0", "a_1", "b_0", "old_0"):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        (folder / "config.yaml").write_text(f"seed: {name[-1]}\nname: {name[:-2]}\n")
        (folder / "metrics.jsonl").write_text(
            "".join(f'{{"step": {i}, "model/updates": {2 * i}, "loss": {i}}}\n' for i in (1, 2))
        )
    words = "plot runs --value loss model/updates --x model/updates --smooth 1 --est min --select _ --exclude old"
    assert main([*words.split(), "--legend", "first", "2nd", "--save", "a.svg", "--export", "a.csv"]) == 0
    assert capsys.readouterr().out == "a.svg\na.csv\n"
    rows = (tmp_path / "a.csv").read_text().splitlines()
    assert rows[:4] == [
        "group,value,x,estimate,low,high,runs,panel",
        "first,loss,2,1,,,2,loss",
        "first,loss,4,2,,,2,loss",
        "2nd,loss,2,1,,,1,loss",
    ]
    assert main(["plot", "runs/a", "--value", "loss", "--count", "--legend", "one"]) == 2
    assert "1. seed=0; 2. seed=1. Received 1." in capsys.readouterr().err


def test_plot_by_task_passes_everything_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.yaml").write_text("maze: {low: 0, high: 2, mine: 1}\n")
    for name in ("ppo", "sac"):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        (folder / "config.yaml").write_text(f"seed: 0\nenv:\n  game: maze\nagent:\n  kind: {name}\n")
        (folder / "metrics.jsonl").write_text("".join(f'{{"step": {i}, "eval/return": {i}}}\n' for i in (1, 2, 3)))
    words = "plot runs/ppo runs/sac --view tasks --group path --tasks maze --normalize scores.yaml --baselines mine"
    more = "--xlim 2 2.5 --smooth 1 --columns 1 --save a.svg --export a.csv"
    assert main([*words.split(), *more.split()]) == 0
    rows = (tmp_path / "a.csv").read_text().splitlines()
    assert rows[1:] == ["ppo,eval/return,2,1,,,1,maze", "sac,eval/return,2,1,,,1,maze"]
    capsys.readouterr()
    for wrong, words in {
        "--view seeds --smooth 3": "--smooth has no effect in --view seeds. It has in values, tasks, methods",
        "--normalize human": "--normalize has no effect in --view values. It has in tasks, methods, aggregate",
        "--view aggregate --est max": "--est has no effect in --view aggregate",
        "--view tasks --count": "--count has no effect in --view tasks",
        "--count --group path": "leave out one of them",
        "--view tasks --value a b": "one value; received 2: a, b",
    }.items():
        assert main(["plot", "runs", *wrong.split()]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.parametrize("bad", ["nothing", "file", "file/below", "", "x" * 300, "new\nline", "bad\udcffname"])
@pytest.mark.parametrize(
    "words",
    [
        ["eval", "BAD"],
        ["plot", "BAD"],
        ["config", "BAD"],
        ["replay", "BAD"],
        ["train", "--config", "BAD", "--logdir", "new"],
        ["grid", "BAD"],
        ["play", "--game", "maze", "--headless", "--video", "a.mp4", "--key-script", "BAD"],
        ["play", "--game", "maze", "--headless", "--steps", "1", "--video", "a.mp4", "--script", "BAD"],
        ["play", "BAD", "--headless", "--steps", "1", "--video", "a.mp4"],
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_odd_paths_are_mistakes_in_a_sentence(words, bad, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("hi")
    assert main([bad if word == "BAD" else word for word in words]) == 2
    assert capsys.readouterr().err.startswith("worldmodels: ")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            "play no/run --option num_levels=3",
            "--option is for --game: a run has its own options. Received num_le",
        ),
        (
            "play --game maze --option num_envs=3",
            "The option 'num_envs' has no effect in the game 'maze'",
        ),
        (
            "play --game maze --option sticky_actions=0.1",
            "The option 'sticky_actions' has no effect in the game 'maze'",
        ),
        ("play --game CartPole-v1 --option workers=2", "The option 'workers' has no effect in the game 'CartPole-v1'"),
        ("play --game maze --levels test", "A game alone has no test levels"),
        (
            "play --game maze --alone real",
            "The option 'alone' is for a run: a game alone has no world model and no policy.",
        ),
        ("play --game maze --temperature 0", "The option 'temperature' is for a run"),
        ("play no/run --start game", "The start 'game' is for a model that is played alone"),
        ("play --game maze --width 80", "The width is the video's"),
        ("play --game maze --port 80", "give --web too. Received 127.0.0.1, port 80"),
        ("test no/run --rate 3", "--rate is the rate of pictures: give --window or --video too"),
        (
            "test no/run --deterministic --temperature 0.5",
            "--deterministic is --temperature 0. Received",
        ),
        ("eval no/run --planner base", "--planner is for --agent planner. Received --agent policy"),
        ("record maze --steps 9 --out new --temperature 2", "--temperature is for the policy of a run"),
    ],
)
def test_a_flag_without_effect_is_refused(words, text, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    assert text in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_the_whole_parser_reads_each_command():
    options = parser().parse_args(["play", "--game", "maze", "--steps", "3"])
    assert (options.game, options.steps, options.levels) == ("maze", 3, "train")


def test_a_picture_without_a_name_replaces_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved = []
    monkeypatch.setattr("worldmodels.analysis.plots.learning_curves.plot_runs", lambda *words: saved.append(words[4]))
    for _ in range(3):
        assert main(["plot", "runs"]) == 0
        (tmp_path / saved[-1]).touch()
    assert saved == ["curves.png", "curves_2.png", "curves_3.png"]


def test_compare_takes_the_folder_of_a_grid(tmp_path, monkeypatch):
    from worldmodels.core.files.run_dir import RunDir

    for name in ("a", "b"):
        RunDir.create(tmp_path / "grid" / name, {}, {})
    compared = []
    monkeypatch.setattr("worldmodels.evaluation.comparison.compare_runs", compared.append)
    assert main(["compare", str(tmp_path / "grid"), str(tmp_path / "grid" / "a")]) == 0
    assert compared == [[str(tmp_path / "grid" / name) for name in ("a", "b", "a")]]
