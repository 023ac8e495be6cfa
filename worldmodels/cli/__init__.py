"""The command line parses arguments and runs one command, which imports what it needs only then."""

from __future__ import annotations

import argparse
import atexit
import os
import sys
import warnings
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import NoReturn

from worldmodels import __version__
from worldmodels.cli import data, evaluation, information, playing, plotting, training
from worldmodels.core.errors import UserError, system_error_text, unknown
from worldmodels.core.output import print_anything, print_text


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, 2 for a user's mistake, 130 for an interruption.

    Without `arguments` this is the program itself, and the process ends here.
    """
    warnings.showwarning = _show_warning
    # Python leaves None where a process was started with an output closed.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    print_anything(sys.stdout, sys.stderr)
    status = _run(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        _end_process(status)
    return status


def _run(words: Sequence[str]) -> int:
    whole, commands = _parser()
    if not words:
        whole.print_help()
        return 0
    try:
        if not words[0].startswith("-") and words[0] not in commands:
            raise UserError(unknown("command", words[0], commands))
        options = whole.parse_args(words)
        status: int = options.run(options) or 0
        sys.stdout.flush()  # here, since a pipe without a reader is no error
        return status
    except UserError as error:
        print_text(f"worldmodels: {error}", file=sys.stderr)
        return 2
    except MemoryError:
        print_text("worldmodels: There is not enough memory for this command.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print_text("\nworldmodels: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # A path or a disk that cannot be used is no mistake of the program; any other error keeps its traceback.
        if (text := system_error_text(error)) is None:
            raise
        print_text(f"worldmodels: {text}", file=sys.stderr)
        return 2


def _end_process(status: int) -> NoReturn:
    """End the process with an exit status after the functions that `atexit` has registered.

    The interpreter's own end frees TensorFlow's graphs, which takes 2 to 3 seconds for nothing. It also waits for a
    model that still loads although its window is closed. No file needs it: a command has closed its files when it
    returns.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # a full disk was reported before
            stream.flush()
    os._exit(status)


def _show_warning(message: Warning | str, *where: object, **more: object) -> None:
    """Print a warning for the person at the keyboard, without the line of code that gave it."""
    print_text(f"worldmodels: warning: {message}", file=sys.stderr)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line, with all its commands."""
    return _parser()[0]


def _parser() -> tuple[argparse.ArgumentParser, Collection[str]]:
    """Return the parser and the names of its commands."""
    parser = argparse.ArgumentParser(
        prog="worldmodels", description="Learn world models of games, train policies inside them, and play in them."
    )
    parser.add_argument("--version", action="version", version=f"worldmodels {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add in (
        *(training.add_train, training.add_grid, training.add_search, training.add_config),
        *(evaluation.add_eval, evaluation.add_shift),
        *(evaluation.add_compare, playing.add_play, playing.add_replay, evaluation.add_foresee, playing.add_enjoy),
        *(playing.add_test, plotting.add_plot, plotting.add_report, data.add_record, data.add_convert, data.add_export),
        *(data.add_publish, information.add_gallery),
        *(information.add_list, information.add_prune, information.add_certify, information.add_check),
        *(information.add_trust, information.add_doctor),
    ):
        add(commands)
    information.add_completion(commands, parser)
    return parser, commands.choices
