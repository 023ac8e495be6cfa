"""Files of a finished run are damaged: what is read then is whole, or refused by its name with nothing changed."""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from fault_campaign.outcome import Outcome, scaled
from fault_campaign.runs import WORLDMODELS, difference, finished, told, train
from worldmodels.core.errors import UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.replay.layout import Layout
from worldmodels.training.run_check import check_and_report

CHECKED, TRAINED = 400, 36
LONGER = "training.steps=500"
"""What a damaged run is continued to."""


def run(seed: int, scale: float) -> Iterator[Outcome]:
    generator = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        sound, longer = Path(name) / "sound", Path(name) / "longer"
        train(sound, "debug")
        shutil.copytree(sound, longer)
        done = train(longer, "debug", LONGER)
        if done.returncode:
            yield Outcome("an undisturbed run", 1, [done.stdout[-400:]])
            return
        yield _checked(sound, scaled(CHECKED, scale), generator)
        yield _trained(sound, longer, scaled(TRAINED, scale), generator)
        yield _mended(sound, scaled(6, scale), generator)
        yield _older(sound, longer)


def _checked(sound: Path, count: int, generator: random.Random) -> Outcome:
    """All damage of what has a checksum must be found; damage of text, pictures and films may end in no traceback."""
    broke = []
    for _ in range(count):
        run = _copied(sound)
        file, how = _damage(run, generator)
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                found = check_and_report(run) != 0
        except UserError as error:
            found = file.name in str(error)
        except Exception as error:  # whatever it is, it is a fault
            broke.append(f"{how} of {file.relative_to(run)}: {type(error).__name__}: {error}")
            continue
        must = file.parent.name.isdecimal() or (file.parent.name == "replay" and how != "garbage at the end")
        if must and not found:
            broke.append(f"{how} of {file.relative_to(run)} was not found")
    return Outcome("damaged files that `check` found, or read as they are", count, broke)


def _trained(sound: Path, longer: Path, count: int, generator: random.Random) -> Outcome:
    broke: list[str] = []
    ends: Counter[str] = Counter()
    for _ in range(count):
        run = _copied(sound)
        file, how = _damage(run, generator)
        before = _contents(run)
        done = train(run, "debug", LONGER)
        problem = told(done)
        if not problem and done.returncode == 0:
            ends["continued"] += 1
            # Old records and films are not read while training.
            problem = difference(longer, run, without={".jsonl": "records", ".mp4": "films"}.get(file.suffix, ""))
        elif not problem:
            ends["refused"] += 1
            changed = {path for path, data in before.items() if _contents(run).get(path) != data}
            problem = f"changed {changed} although it was refused" if changed else None
        if outside(run).exists() and outside(run).read_bytes() != b"outside":
            problem = "changed a file outside of the run"
        if problem:
            broke.append(f"{how} of {file.relative_to(run)}: {problem}")
    text = f"damaged runs: {ends['continued']} continued to the same end, {ends['refused']} refused unchanged"
    return Outcome(text, count, broke)


def _mended(sound: Path, count: int, generator: random.Random) -> Outcome:
    """Damaged experience is left out, and training goes on without it."""
    broke = []
    for _ in range(count):
        run = _copied(sound)
        file = generator.choice(sorted((run / "replay").glob("0*")))
        how = _spoil(file, generator, ("bit", "zeros", "missing"))
        left_out = finished([*WORLDMODELS, "check", str(run), "--leave-out"])
        done = train(run, "debug", LONGER)
        if left_out.returncode or done.returncode:
            broke.append(f"{how} of {file.name}: {left_out.stdout[-300:]} {done.stdout[-300:]}")
    return Outcome("runs that continued once damaged experience was left out", count, broke)


def _older(sound: Path, longer: Path) -> Outcome:
    """The newest checkpoint is taken away, with and without the experience that only it knows."""
    broke = []
    for with_experience in (False, True):
        run = _copied(sound)
        steps = Checkpoints(run / "checkpoints").steps()
        if with_experience:
            cursor = Checkpoints(run / "checkpoints").read(steps[-2])[1]["replay"]["cursor"]
            rows = run / "replay" / "00000000.steps"
            os.truncate(rows, cursor * Layout.read(run / "replay").row_bytes)
        shutil.rmtree(run / "checkpoints" / f"{steps[-1]:08d}")
        done = train(run, "debug", LONGER)
        problem = done.stdout[-300:] if done.returncode else difference(longer, run)
        if problem:
            broke.append(f"with its experience: {with_experience}: {problem}")
    return Outcome("runs whose newest checkpoint was taken away, that continued to the same end", 2, broke)


def outside(path: Path) -> Path:
    """Return a file that belongs to no run, to which links lead."""
    return next(folder for folder in (path, *path.parents) if folder.name == "damaged").with_name("outside")


def _copied(sound: Path) -> Path:
    run = sound.with_name("damaged")
    outside(run).unlink(missing_ok=True)
    shutil.rmtree(run, ignore_errors=True)
    return Path(shutil.copytree(sound, run))


def _damage(run: Path, generator: random.Random) -> tuple[Path, str]:
    """Damage one file; each folder is as likely as any other, however many files it holds."""
    files = [path for path in sorted(run.rglob("*")) if path.is_file() and path.name != ".lock"]
    folder = generator.choice(sorted({path.parent for path in files}))
    file = generator.choice([path for path in files if path.parent == folder])
    return file, _spoil(file, generator, ("bit", "bit", "bit", "zeros", "short", "missing", "link", "garbage"))


def _spoil(file: Path, generator: random.Random, kinds: tuple[str, ...]) -> str:
    kind, data = generator.choice(kinds), bytearray(file.read_bytes())
    place = generator.randrange(max(1, len(data)))
    if kind == "bit" and data:
        data[place] ^= 1 << generator.randrange(8)
    elif kind == "zeros":
        data[place : place + 64] = b"\1" * len(data[place : place + 64])
    elif kind == "short":
        del data[place:]
    elif kind == "garbage":
        data += generator.randbytes(generator.randrange(1, 200))
    file.unlink()
    if kind == "link":
        outside(file).write_bytes(b"outside")
        file.symlink_to(outside(file))
    elif kind != "missing":
        file.write_bytes(data)
    names = {"bit": f"bit at byte {place}", "zeros": f"64 bytes at {place}", "short": f"cut at {place}"}
    return names.get(kind, {"garbage": "garbage at the end"}.get(kind, kind))


def _contents(run: Path) -> dict[str, bytes]:
    """Return what the files of a run hold, but the number of the process that trained last."""
    files = (path for path in run.rglob("*") if path.is_file() and path.name != ".lock" and not path.is_symlink())
    return {str(path.relative_to(run)): path.read_bytes() for path in files}
