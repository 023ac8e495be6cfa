"""The arguments that several commands have in common."""

from __future__ import annotations

import argparse


def add_run(command: argparse.ArgumentParser) -> None:
    """Add the run to which a command applies."""
    command.add_argument("path", metavar="RUN", help="the run's folder")


def add_checkpoint(command: argparse.ArgumentParser) -> None:
    """Add the checkpoint that is loaded."""
    command.add_argument("--checkpoint", type=int, metavar="STEP", help="load this checkpoint (default: the newest)")


def add_seed(command: argparse.ArgumentParser) -> None:
    """Add the seed of everything random in a command."""
    command.add_argument("--seed", type=int, default=0, help="the seed of everything random (default: %(default)s)")


def add_levels(command: argparse.ArgumentParser, more: str = "") -> None:
    """Add the set of levels that is played.

    Args:
        more: further choices besides "train" and "test", with their meaning.
    """
    command.add_argument(
        "--levels",
        default="train",
        metavar="LEVELS",
        help=f"train: the levels on which the run was trained; test: all others{more} (default: %(default)s)",
    )


def add_episodes(command: argparse.ArgumentParser, each: str) -> None:
    """Add the numbers of the episodes that are played in each cell of an evaluation."""
    command.add_argument("--episodes", type=int, help=f"episodes for each {each} (default: the run's own)")
    command.add_argument("--max-steps", type=int, help="steps after which an episode is cut and reported as unfinished")


def add_windows(command: argparse.ArgumentParser) -> None:
    """Add the sizes of the recorded sequences on which a world model is measured."""
    command.add_argument("--context", type=int, help="frames that the world model sees before it predicts alone")
    command.add_argument("--horizon", type=int, help="steps that the world model predicts alone")
    command.add_argument("--windows", type=int, help="recorded sequences over which the model's errors are averaged")


def given(options: argparse.Namespace, *names: str) -> dict[str, object]:
    """Return those of the named options that the command line gives."""
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def add_grouping(command: argparse.ArgumentParser, line: str, path: str) -> None:
    """Add which runs are shown, how they are grouped, and the names of the groups.

    Args:
        line: the word for a group, "line" for example.
        path: the word for a given path, "RUN" for example.
    """
    command.add_argument(
        "--group",
        choices=("configuration", "path"),
        default="configuration",
        help=f"make a {line} of all runs with one configuration, or of all runs below each {path} (default: "
        "%(default)s)",
    )
    command.add_argument(
        "--legend",
        nargs="+",
        default=[],
        metavar="NAME",
        help=f"a name for each {line}, in their order; or TEXT:NAME for the {line} whose own name contains the text",
    )
    command.add_argument(
        "--select", nargs="+", default=[], metavar="TEXT", help="use only runs whose path contains all of these"
    )
    command.add_argument(
        "--exclude", nargs="+", default=[], metavar="TEXT", help="use no run whose path contains one of these"
    )
