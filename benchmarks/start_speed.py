"""Measures how long a person waits for a learned world, and for a tiny run.

    python benchmarks/start_speed.py [--world gallery:coinrun] [--repeats 3]

play   `worldmodels play WORLD --web`, from the command to the first picture of the game, to the picture of a step that
       obeys a key, and to the first picture of the model; a client of the benchmark takes the place of a browser
train  `worldmodels train --config debug`, from the command to its end
import `import tensorflow`, which both contain

Each with the compiled modules that Python keeps at a first start, and without (PYTHONDONTWRITEBYTECODE and an empty
PYTHONPYCACHEPREFIX). Medians of wall time, one process at a time. Results are kept in results/start_speed.jsonl, and
results/start_speed.md is written from them: the same command goes on with what is missing. Needs aiohttp.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import aiohttp
from archive import Archive
from kept_cells import heading, measure_cells, write_report
from provenance import made_line
from web_speed import head_of, serving

from worldmodels.core.errors import counted
from worldmodels.core.processor import this_processor, usable_cores

RESULTS = Path(__file__).parent / "results" / "start_speed"
ARCHIVE = Archive(RESULTS.with_suffix(".jsonl"))
MODULES = ("compiled", "not compiled")
RATE = 15
"""Steps a second."""
COLUMNS = {
    "game": "first picture of the game",
    "key": "a key obeyed",
    "model": "first picture of the model",
    "train": "`train --config debug`",
    "import": "`import tensorflow`",
}
"""Titles of the figures."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="gallery:coinrun", help="(default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="(default: %(default)s)")
    how = parser.parse_args()
    here = f"{this_processor()}, {counted(len(usable_cores()), 'core')}"
    wanted = [{"hardware": here, "world": how.world, "modules": modules} for modules in MODULES]
    write_report(RESULTS.with_suffix(".md"), measure_cells(ARCHIVE, wanted, partial(measure, how.repeats)), report)


def measure(repeats: int, hardware: str, world: str, modules: str) -> dict[str, Any]:
    """Return the seconds of each figure, a list of all repeats."""
    found: dict[str, list[float]] = {name: [] for name in COLUMNS}
    with starting(modules == "compiled"):
        run_python("-c", "import worldmodels, tensorflow")  # compiles, where modules are kept, and warms the disk
        for _ in range(repeats):
            for name, seconds in asyncio.run(opening(world)).items():
                found[name].append(seconds)
            found["train"].append(timed(train))
            found["import"].append(timed(lambda: run_python("-c", "import tensorflow")))
    return {"seconds": found}


@contextmanager
def starting(compiled: bool) -> Iterator[None]:
    """Let processes keep and use compiled modules, or neither."""
    with patch.dict(os.environ), tempfile.TemporaryDirectory() as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        if not compiled:
            os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": folder}
        yield


def run_python(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def train() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run_python("-m", "worldmodels", "train", "--config", "debug", "--logdir", f"{folder}/run")


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


async def opening(world: str) -> dict[str, float]:
    """Return the seconds from the command to three pictures of a world."""
    found: dict[str, float] = {}
    start = time.perf_counter()
    async with serving(world, RATE) as (link, _), aiohttp.ClientSession() as http:
        address, _, token = link.partition("/#")
        async with http.ws_connect(f"{address}/socket", params={"token": token}, max_msg_size=0) as socket:
            shown: set[str] = set()
            while len(found) < 3:
                message = await socket.receive()
                if message.type is not aiohttp.WSMsgType.BINARY:
                    continue
                head, now = head_of(message.data), time.perf_counter() - start
                await socket.send_str(json.dumps({"seen": head["number"]}))
                shown |= {frame[0] for frame in head["frames"] if frame[0].startswith("column")}
                if shown and "game" not in found:
                    found["game"] = now
                    await socket.send_str('{"wish":"play"}')
                    await socket.send_str('{"key":"right","pressed":true}')
                if "game" in found and stepped(head):
                    found.setdefault("key", now)
                if len(shown) > 1:
                    found.setdefault("model", now)
    return found


def stepped(head: Mapping[str, Any]) -> bool:
    """Return whether a scene shows a step that was taken to the right."""
    facts = dict(pair[:2] for pair in head["parts"].get("header", {}).get("facts", ()))
    return "right" in facts.get("action", "")


def report(cells: list[dict[str, Any]]) -> str:
    """Return a table of all that was measured."""
    lines = [
        heading("Seconds that a person waits", __doc__),
        f"| world | processor | Python's modules | {' | '.join(COLUMNS.values())} |",
        "|---|---|---" + "|---:" * len(COLUMNS) + "|",
    ]
    for cell in sorted(cells, key=lambda cell: (cell["hardware"], cell["world"], MODULES.index(cell["modules"]))):
        seconds = [f"{median(cell['seconds'][name]):.1f}" for name in COLUMNS]
        lines.append("| " + " | ".join([cell["world"], cell["hardware"], cell["modules"], *seconds]) + " |")
    return "\n".join([*lines, "", made_line(cells), ""])


if __name__ == "__main__":
    main()
