"""Writes the files of an evaluation into a run's folder, and never replaces another result of the same checkpoint."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.configuration.sections import to_dict
from worldmodels.core.errors import FileError
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import make_own_folder, read_regular, write_atomic
from worldmodels.core.output import print_text
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.levels import level_words, mode_of
from worldmodels.evaluation.probes import write_probes
from worldmodels.evaluation.request import Request
from worldmodels.recordings.action_recording import ActionRecording, write_recording
from worldmodels.telemetry.video import write_video

if TYPE_CHECKING:
    from worldmodels.evaluation.findings import Findings

VIDEO_FPS = 8


class ResultFiles:
    """A writer of the results of one request; files that belong together share a name.

    A result that equals the one that is there, in all but its time, takes its place. Another one gets a number behind
    its name, and so do its pictures, videos and recordings.
    """

    def __init__(self, run_dir: RunDir, request: Request, settings: EvaluationConfig, env: EnvConfig) -> None:
        self._run_dir, self._suffix, self._levels = run_dir, request.suffix, request.levels
        head = {
            "seed": request.seed,
            "mode": request.mode,
            "agent": request.agent,
            "planner": to_dict(request.planner_config()) if request.agent == "planner" else None,
            "levels": level_words(env, request.levels),
            "game": env.game,
            "distribution_mode": mode_of(env),
            "settings": to_dict(settings),
        }
        self._head = json.loads(json.dumps(head, allow_nan=False))

    def write(self, step: int, findings: Findings) -> Path:
        """Write what was found at the checkpoint of a step, and return the path of the JSON."""
        name = f"{step:08d}{self._suffix}"
        result = self.write_json(f"step_{name}", {"step": step, **findings.tree})
        name = result.stem.removeprefix("step_")
        written = [result]
        for title, draw in findings.pictures.items():
            written.append(draw(result.with_name(f"{result.stem}_{title}.png")))
        for title, frames in findings.videos.items():
            video = self._run_dir.videos / f"evaluation_{name}_{title}.mp4"
            write_video(video, frames, fps=VIDEO_FPS)
            written.append(video)
        if findings.probes and self._levels == "train":  # the player plays the levels of training
            written.append(write_probes(self._run_dir, step, findings.probes))
        for title, recordings in findings.recordings.items():
            written.append(_write_recordings(result.with_name(f"{result.stem}_{title}"), recordings))
        print_written(written)
        return result

    def metrics(self, step: int) -> dict[str, float] | None:
        """Return the metrics of the same request at the checkpoint of a step; None where there is no such result."""
        for path in sorted(self._run_dir.eval.glob(f"step_{step:08d}{self._suffix}*.json")):
            held = _read(path)
            if {name: held.get(name) for name in self._head} == self._head and "metrics" in held:
                return {name: math.nan if value is None else value for name, value in held["metrics"].items()}
        return None

    def write_json(self, name: str, results: dict[str, Any]) -> Path:
        """Write results under a name, or the name with a number, and return the path."""
        tree = json.loads(json.dumps({**self._head, **results}, allow_nan=False))
        path = _own_path(self._run_dir.eval, name, tree)
        created = datetime.now(timezone.utc).isoformat(timespec="seconds")
        make_own_folder(path.parent)
        write_atomic(path, json.dumps({"created": created, **tree}, indent=2, allow_nan=False) + "\n")
        return path


def print_written(paths: Sequence[Path]) -> None:
    """Print the paths of files that were written."""
    print_text("\n".join(["Written:", *(f"  {path}" for path in paths)]))


def _own_path(folder: Path, name: str, tree: dict[str, Any]) -> Path:
    """Return the path under which no other result is kept, and say which ones are."""
    path, number = folder / f"{name}.json", 1
    while path.exists() and not _holds(path, tree):
        print_text(f"Kept {path}, which holds another evaluation.")
        number += 1
        path = folder / f"{name}_{number}.json"
    return path


def _holds(path: Path, tree: dict[str, Any]) -> bool:
    """Return whether a file holds an equal result; its time does not count."""
    return {name: value for name, value in _read(path).items() if name != "created"} == tree


def _read(path: Path) -> dict[str, Any]:
    """Return what a file holds; nothing where it is gone or cannot be read."""
    try:
        held = parse_strict(read_regular(path), f"'{path}'")
    except (FileNotFoundError, FileError):
        return {}
    return held if isinstance(held, dict) else {}


def _write_recordings(folder: Path, episodes: Sequence[ActionRecording]) -> Path:
    make_own_folder(folder)
    for i, recording in enumerate(episodes, start=1):
        write_recording(folder / f"episode_{i}.jsonl", recording)
    return folder
