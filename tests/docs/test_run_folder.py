"""The page of a run's files names every file of a tiny run, and every place that the code has for them."""

from __future__ import annotations

import re
from pathlib import Path

import worldmodels
from worldmodels.core.files.checkpoint import MANIFEST, STATE, TENSORS
from worldmodels.core.files.run_dir import RunDir
from worldmodels.experiments.grid import training_log
from worldmodels.experiments.grid_job import failure_note

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "run_folder.md").read_text()
NAMES = re.findall(r"^\| `([^`]+)` \|", PAGE, re.M)


def pattern(name: str) -> str:
    """Return the regular expression of a name in which capitals stand for something that differs.

    What `worldmodels eval` puts behind the step, the page says in a sentence.
    """
    text = re.escape(name).replace("step_STEP", r"step_\d{8}(?:_[a-z]+|_\d+)*").replace("STEP", r"\d{8,}")
    return re.sub("NAME|N(?![A-Za-z])", r"[\\w.-]+", text)


def unnamed(paths: set[str]) -> set[str]:
    return {path for path in paths if not any(re.fullmatch(pattern(name), path) for name in NAMES)}


def test_a_file_without_a_line_is_found() -> None:
    known = {"config.yaml", "replay/00000000.steps", "eval/step_00000100_model_2.json", "videos/policy_00000100.mp4"}
    assert unnamed(known | {"videos/other.mp4", "notes.txt"}) == {"videos/other.mp4", "notes.txt"}


def test_every_file_of_a_run_has_a_line(tiny_run: Path) -> None:
    worldmodels.evaluate(tiny_run, episodes=2, videos=1)
    found = {str(path.relative_to(tiny_run)) for path in tiny_run.rglob("*") if path.is_file()}
    assert len(found) > 12 and unnamed(found) == set()


def test_the_names_are_those_of_the_code() -> None:
    run = RunDir("run")
    places = {run.config, run.meta, run.metrics, run.checkpoints, run.replay, run.eval, run.videos, run._lock}
    named = {name.partition("/")[0] for name in NAMES}
    assert {place.name for place in places} <= named
    assert {f"checkpoints/STEP/{name}" for name in (MANIFEST, STATE, TENSORS)} <= set(NAMES)
    beside = {function(Path("NAME")).name for function in (training_log, failure_note)}
    assert beside <= set(NAMES)
