"""A person can act on these errors: the text says the fact, the rule, what was received and what is allowed.

An unknown name is answered with the nearest name that exists.
"""

from __future__ import annotations

import difflib
import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

DISTRIBUTION = "worldmodels-lab"
"""The name that pip knows this project by; the package index has another project under `worldmodels`."""


def pip_install(extra: str) -> str:
    """Return the command that installs one of this project's extras."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""The characters that act on a terminal or turn the direction of a text, but for line breaks and tabs."""


def visible(text: str) -> str:
    """Return a text whose control characters are escaped: names and files may hold any, and a terminal obeys them."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class UserError(Exception):
    """A mistake or a misfortune to be told in plain words; the command line prints the text alone and exits with 2."""

    def __str__(self) -> str:
        """Return the text without control characters."""
        return visible(super().__str__())


class ConfigError(UserError):
    """A configuration key, value or file that cannot be used."""


class RunError(UserError):
    """A run folder that is missing, in use, or not of this version."""


class CheckpointError(UserError):
    """A checkpoint that is missing, damaged, or does not fit what it is loaded into."""


class FileError(UserError):
    """A file or folder that cannot be read or written, or that does not hold what it must."""


class DiskFullError(UserError):
    """A write that the disk, a quota or a file size limit ended; whatever the file held before is still there."""


class StorageError(UserError):
    """A storage behind an address that cannot be reached, read or written, or in which another grid is at work."""


class NonFiniteError(UserError):
    """A loss or a gradient that became NaN or infinite; training stopped before it could spread."""


class ForeignEnvError(UserError):
    """An environment that is not one of ours failed or broke Gymnasium's rules; the text names it, and the step."""


class ConformanceError(Exception):
    """A game, model or agent that breaks its contract; the text says what was expected and what was found."""


# EFBIG is what a process under a file size limit gets; to the person at the keyboard it is the same misfortune.
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def system_error_text(error: OSError) -> str | None:
    """Return a sentence about what the system refused; None where the error is not about a path or a device."""
    if error.filename is not None and error.strerror:
        other = f" ('{error.filename2}')" if error.filename2 is not None else ""
        return f"'{error.filename}'{other} cannot be used: {error.strerror}."
    if error.errno in NO_SPACE | {errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE}:
        return f"The system refused to read or write: {error.strerror}."
    return None


@contextmanager
def disk_full_reported(path: Path) -> Iterator[None]:
    """Turn "no space left" inside the block into a `DiskFullError` about `path`; other errors pass unchanged."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_SPACE:
            raise
        raise DiskFullError(
            f"No space left to write '{path}' ({error.strerror}). What it held before is unchanged. "
            "Free some space on that disk, then run the same command again."
        ) from error


@contextmanager
def os_errors_reported(path: Path | str, done: str = "written") -> Iterator[None]:
    """Turn what the system refuses inside the block into errors about `path`, which cannot be `done`.

    Raises:
        DiskFullError: no space is left.
        FileError: anything else, for example a file system that can only be read.
    """
    try:
        with disk_full_reported(Path(path)):
            yield
    except OSError as error:
        raise FileError(f"'{path}' cannot be {done}: {error.strerror or error}.") from error


def nearest(name: str, choices: Iterable[str]) -> str | None:
    """Return the member of `choices` most like `name`, upper and lower case aside; None where nothing comes close."""
    folded = {choice.casefold(): choice for choice in choices}
    matches = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[matches[0]] if matches else None


def shortened(text: str, length: int = 80) -> str:
    """Return a text for an error; where it is longer than `length`, its beginning."""
    return text if len(text) <= length else f"{text[:length]}..."


def plural(kind: str) -> str:
    """Return the English plural of a noun such as "game" or "policy"."""
    if kind.endswith("y") and kind[-2:-1] not in tuple("aeiou"):
        return kind[:-1] + "ies"
    return kind + ("es" if kind.endswith(("s", "x", "ch", "sh")) else "s")


def counted(count: int, kind: str) -> str:
    """Return "1 game" or "2,000 games"."""
    return f"{count:,} {kind if count == 1 else plural(kind)}"


def unknown(kind: str, name: str, choices: Iterable[str]) -> str:
    """Return a sentence such as "Unknown game 'mase'. Did you mean 'maze'? Games: coinrun, maze, starpilot."."""
    choices, name = list(choices), shortened(name)
    guess = nearest(name, choices)
    hint = f" Did you mean '{guess}'?" if guess else ""
    listing = f"{plural(kind)}: {', '.join(choices) or 'none'}."
    return f"Unknown {kind} '{name}'.{hint} {listing[0].upper()}{listing[1:]}"
