"""Writes the page of the command line, from its parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

from site_pages.markdown import prose
from worldmodels.cli import parser

INTRODUCTION = """# Command line

`worldmodels COMMAND --help` prints the same. A command ends with status 0, or with 2 and a sentence if an argument or a
file cannot be used, or with 130 after Ctrl-C.
"""
WIDTH = 88
"""Columns of a command's synopsis."""


def pages() -> dict[str, str]:
    """Return the text of the page by its place in the site."""
    entries = (line for name, command in commands().items() for line in command_entry(name, command))
    return {"reference/commands.md": "\n".join([INTRODUCTION, *entries])}


def commands() -> Mapping[str, argparse.ArgumentParser]:
    """Return the parsers of all commands by name."""
    (subparsers,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    found: Mapping[str, argparse.ArgumentParser] = subparsers.choices
    return found


def command_entry(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the lines of one command: what it does, its synopsis, its arguments."""
    yield f"## {name}\n"
    yield f"{prose(command.description or '')}\n"
    formatter = argparse.HelpFormatter(command.prog, width=WIDTH)
    formatter.add_usage(command.usage, command._actions, command._mutually_exclusive_groups, prefix="")
    yield f"```\n{formatter.format_help().strip()}\n```\n"
    for action in command._actions:
        if not isinstance(action, argparse._HelpAction):
            yield f"`{invocation(action)}`\n: {prose(help_of(command, action))}\n"
    if command.epilog:
        yield f"{prose(command.epilog)}\n"


def invocation(action: argparse.Action) -> str:
    """Return how an argument is written, such as "--seed SEED"."""
    default = action.dest.upper() if action.option_strings else action.dest
    formatter = argparse.HelpFormatter("")
    value = formatter._format_args(action, default) if action.nargs != 0 else ""
    return f"{', '.join(action.option_strings)} {value}".strip()


def help_of(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    """Return the help of an argument, with its default where the help names it."""
    return command._get_formatter()._expand_help(action) if action.help else ""
