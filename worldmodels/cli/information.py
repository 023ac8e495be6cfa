"""The commands about games, runs and the machine: list, gallery, prune, certify, check, trust, doctor, completion."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from functools import partial

from worldmodels.cli.arguments import add_run
from worldmodels.core.errors import UserError
from worldmodels.core.output import print_text


def add_list(commands: argparse._SubParsersAction) -> None:
    """Add the command that lists names and runs."""
    command = commands.add_parser(
        "list",
        help="list games, models, agents, configs, grids, metrics or runs",
        description="List names, metrics with their meanings, or the runs of a folder with their kinds, state, steps, "
        "last return and size.",
    )
    command.add_argument(
        "what",
        choices=("games", "models", "agents", "configs", "grids", "metrics", "runs"),
        help="the names to list, metrics, or runs",
    )
    command.add_argument(
        "folder", nargs="?", metavar="FOLDER", help="with runs: a folder that holds runs (default: runs)"
    )
    command.set_defaults(run=_list)


def _list(options: argparse.Namespace) -> None:
    if options.what == "runs":
        from worldmodels.experiments.run_list import print_runs

        print_runs(options.folder or "runs")
        return
    if options.folder is not None:
        raise UserError(
            f"A folder is for 'worldmodels list runs FOLDER'; received '{options.folder}' after {options.what}."
        )
    from worldmodels.config.show import names_of
    from worldmodels.telemetry.metrics import metric_lines

    print_text("\n".join(metric_lines() if options.what == "metrics" else names_of(options.what)))


def add_prune(commands: argparse._SubParsersAction) -> None:
    """Add the command that removes parts of runs."""
    command = commands.add_parser(
        "prune",
        help="remove old checkpoints, experience or videos of runs, to free disk space",
        description="Show which parts of a run, or of all runs below a folder, take how much room; remove them with "
        "--yes. A run that is being trained and the newest checkpoint of each run always stay.",
    )
    command.add_argument("path", metavar="RUN", help="the run's folder, or a folder that holds runs")
    command.add_argument("--checkpoints", type=int, metavar="N", help="remove all checkpoints but the newest N")
    command.add_argument(
        "--replay",
        action="store_true",
        help="remove the recorded experience; without it a run cannot be continued, dreamed in or used as a data set",
    )
    command.add_argument("--videos", action="store_true", help="remove the films in the folder videos")
    command.add_argument("--yes", action="store_true", help="remove them, instead of showing what would be removed")
    command.set_defaults(run=_prune)


def _prune(options: argparse.Namespace) -> None:
    from worldmodels.experiments.prune import Pruning, prune

    prune(options.path, Pruning(options.checkpoints, options.replay, options.videos), options.yes)


def add_gallery(commands: argparse._SubParsersAction) -> None:
    """Add the command that lists the worlds of the gallery."""
    command = commands.add_parser(
        "gallery",
        help="list the learned worlds that come with the package",
        description="List the learned worlds that come with the package. 'gallery:NAME' stands for the folder of a run "
        "in all commands that open one: worldmodels play gallery:NAME.",
    )
    command.set_defaults(run=_gallery)


def _gallery(options: argparse.Namespace) -> None:
    from worldmodels.core.files.packs import GALLERY, gallery, read_card
    from worldmodels.telemetry.run_table import print_table

    rows = []
    for name, path in gallery().items():
        card, size = read_card(path), path.stat().st_size
        policy = "none" if card.agent == "random" else card.agent
        rows.append([name, card.title, card.model, policy, f"{size / 1e6:.1f} MB"])
    print_table("Learned worlds", ["name", "world", "model", "policy", "size"], rows, f"worldmodels play {GALLERY}NAME")


def add_certify(commands: argparse._SubParsersAction) -> None:
    """Add the command that solves levels."""
    command = commands.add_parser(
        "certify",
        help="solve thousands of levels of a game: each must have a solution and not end at once",
        description="Build and solve levels. The exit status is 1 if a level has no solution or ends at once.",
    )
    command.add_argument("games", nargs="+", metavar="GAME", help="names of games, or 'all'")
    command.add_argument(
        "--mode", nargs="+", default=[], metavar="M", help="distribution modes (default: all of the game)"
    )
    command.add_argument(
        "--levels", type=int, default=100_000, help="levels of each game and mode (default: %(default)s)"
    )
    command.add_argument("--first", type=int, default=0, help="the lowest level seed (default: %(default)s)")
    command.add_argument("--threads", type=int, default=2, help="threads that solve levels (default: %(default)s)")
    command.add_argument("--json", metavar="FILE", help="a file for the results, with the seeds of all failed levels")
    command.set_defaults(run=_certify)


def _certify(options: argparse.Namespace) -> int:
    from worldmodels.envs.games.certify import LevelRange, certify_and_report

    levels = LevelRange(options.levels, options.first, options.threads)
    return certify_and_report(options.games, options.mode, levels, options.json)


def add_check(commands: argparse._SubParsersAction) -> None:
    """Add the command that verifies a run folder."""
    command = commands.add_parser(
        "check",
        help="verify every file of a run, and print how to continue if one is damaged",
        description="Verify every file of a run: configuration, checkpoints, experience, records, videos. The exit "
        "status is 1 if a file is damaged.",
    )
    command.add_argument("folder", metavar="RUN", help="the run's folder")
    command.add_argument(
        "--leave-out",
        action="store_true",
        help="discard damaged steps of the replay store, so that the run can continue",
    )
    command.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    from worldmodels.training.run_check import check_and_report

    return check_and_report(options.folder, options.leave_out)


def add_trust(commands: argparse._SubParsersAction) -> None:
    """Add the command that trusts a run."""
    command = commands.add_parser(
        "trust",
        help="let a run of somebody else import the module of its game",
        description="Remember that you trust a run whose game imports a module, which runs the module's code. Runs "
        "that you trained on this machine are trusted.",
    )
    add_run(command)
    command.set_defaults(run=_trust)


def _trust(options: argparse.Namespace) -> None:
    from worldmodels.config.run_config import RunConfig, imports_module, trust
    from worldmodels.core.configuration.sections import load_config
    from worldmodels.core.files.run_dir import RunDir

    run = RunDir.open(options.path)
    config = load_config(RunConfig, [run.config])
    if not imports_module(config):
        print_text(f"The game of the run, '{config.env.game}', imports no module: there is nothing to trust.")
        return
    trust(run)
    print_text(f"The run '{run.path}' may import the module of its game from now on: '{config.env.game}'.")


def add_doctor(commands: argparse._SubParsersAction) -> None:
    """Add the command that examines the machine."""
    command = commands.add_parser("doctor", help="print what this machine has, what is missing, and how fast it is")
    command.set_defaults(run=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    from worldmodels.loading.doctor import examine

    return examine()


SHELLS = ("bash", "zsh")


def add_completion(commands: argparse._SubParsersAction, whole: argparse.ArgumentParser) -> None:
    """Add the command that prints a script for a shell, in which it completes the commands of the `whole` parser."""
    command = commands.add_parser(
        "completion",
        help="print a script with which a shell completes commands, options, presets, games and folders",
        description="Print a script with which a shell completes commands, options, presets, games and folders. "
        'In bash: eval "$(worldmodels completion bash)".',
    )
    command.add_argument("shell", choices=SHELLS, help="the shell that reads the script")
    command.set_defaults(run=partial(_completion, whole))


def _completion(whole: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    import shtab

    from worldmodels.config.show import names_of

    (commands,) = (action for action in whole._actions if isinstance(action, argparse._SubParsersAction))
    for command in commands.choices.values():
        for action in command._actions:
            _describe(action)
    names = {"presets": [line.split()[0] for line in names_of("configs")], "games": names_of("games")}
    print_text(shtab.complete(whole, options.shell, preamble=_functions(options.shell, names)))


def _describe(action: argparse.Action) -> None:
    """Note what an argument is, for the script: a file, a folder, presets or games."""
    import shtab

    what: Mapping[str, str | Mapping[str, str]] = {}
    if action.dest in ("config", "words", "diff"):
        what = dict.fromkeys(SHELLS, "_worldmodels_presets")
    elif action.metavar == "GAME" or action.dest == "game":
        what = dict.fromkeys(SHELLS, "_worldmodels_games")
    elif action.metavar in ("RUN", "FOLDER", "GRID") or action.dest == "logdir":
        what = shtab.DIRECTORY
    elif action.metavar in ("FILE", "SOURCE", "OUT"):
        what = shtab.FILE
    if what:
        action.complete = what  # type: ignore[attr-defined]  # where shtab looks


def _functions(shell: str, names: Mapping[str, Iterable[str]]) -> str:
    """Return functions of a shell that complete names, `_worldmodels_KIND` for each kind."""
    body = {"bash": 'compgen -W "{names}" -- "$1";', "zsh": "local names=({names}); compadd -a names;"}[shell]
    texts = {kind: body.replace("{names}", " ".join(words)) for kind, words in names.items()}
    return "\n".join(f"_worldmodels_{kind}() {{ {text} }}" for kind, text in texts.items())
