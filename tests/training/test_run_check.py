"""Check run folders that are whole, and such in which one file was damaged."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from image_spaces import image_replay
from PIL import Image

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import RunError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.types import Step
from worldmodels.recordings.action_recording import ActionRecording, RecordedEpisode, write_recording
from worldmodels.replay import ReplayConfig
from worldmodels.telemetry.sinks import JSONLSink, TensorBoardSink
from worldmodels.telemetry.video import write_video
from worldmodels.training.run_check import check_and_report


def a_step(t: int) -> Step:
    frames = np.random.default_rng(t).integers(0, 256, (2, 3, 4, 1), np.uint8)
    none = np.zeros(2, bool)
    return Step(frames, np.full(2, t, np.float32), none, none, none, np.full(2, t % 15, np.int32))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with everything that a run may hold, and checkpoints of the steps 20 and 60."""
    run = RunDir.create(tmp_path_factory.mktemp("runs") / "whole", load_config(RunConfig, ["debug"]), {})
    replay = image_replay(run.replay, 2, (3, 4, 1), ReplayConfig(16 * 10 * 2, 1))
    sink = JSONLSink(run.metrics)
    for t in range(30):
        if t in (10, 29):
            Checkpoints(run.checkpoints).write(2 * t, {"replay": replay.save()})
        replay.append(a_step(t))
        sink.scalars(2 * t, {"loss": 1.0})
    replay.close()
    events = TensorBoardSink(run.path)
    events.scalars(1, {"loss": 2.0})
    events.close()
    run.eval.mkdir()
    (run.eval / "step_00000058.json").write_text('{"return": 1.5}\n')
    write_recording(run.eval / "episode_1.jsonl", ActionRecording("maze", {}, 5, [RecordedEpisode([7, 1, 3])]))
    Image.new("RGB", (4, 4)).save(run.eval / "errors.png")
    run.videos.mkdir()
    write_video(run.videos / "policy.mp4", np.zeros((3, 16, 16, 3), np.uint8))
    write_video(run.videos / "policy.gif", np.zeros((3, 16, 16, 3), np.uint8))
    return run.path


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def checked(run: Path, capsys: pytest.CaptureFixture[str], mend: bool = False) -> tuple[int, str]:
    status = check_and_report(run, mend)
    return status, capsys.readouterr().out


def test_a_whole_run_is_listed_by_its_parts(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(run.rglob("*"))
    status, text = checked(run, capsys)
    assert status == 0
    assert text.splitlines() == [
        "configuration  1 file",
        "checkpoints    steps 20 and 58",
        "replay         58 steps in 3 chunks",
        "metrics        30 lines",
        "event files    1 file",
        "evaluations    1 file",
        "recordings     1 file",
        "pictures       1 file",
        "videos         2 films",
        "half written   nothing",
    ]
    assert sorted(run.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "place", "problem"),
    [
        ("config.yaml", 0, "config.yaml"),
        ("checkpoints/00000020/state.json", 5, "Checkpoint file '{file}' is damaged"),
        ("checkpoints/00000058/manifest.json", 0, "Checkpoint file '{file}' is damaged"),
        ("replay/store.json", 1, "'{file}' is not JSON"),
        ("replay/00000000.steps", 50, "'{file}': row 1 is damaged"),
        ("replay/00000001.frames", 3, "'{file}': frame 0 of stream 0 is damaged"),
        ("metrics.jsonl", 30, "Line 2 of '{file}'"),
        ("events.out.tfevents", 40, "'{file}' was damaged in record"),
        ("eval/step_00000058.json", 0, "'{file}' is not JSON"),
        ("eval/episode_1.jsonl", 1, "{file}"),
        ("eval/errors.png", 20, "'{file}' cannot be read as a picture"),
        ("videos/policy.mp4", 5, "'{file}' cannot be decoded"),
    ],
)
def test_a_damaged_file_is_named(
    run: Path, capsys: pytest.CaptureFixture[str], name: str, place: int, problem: str
) -> None:
    (file,) = run.glob(f"{name}*")
    data = bytearray(file.read_bytes())
    data[place] ^= 0xFF if file.suffix == ".yaml" else 4
    file.write_bytes(data[: len(data) // 2] if file.suffix == ".mp4" else data)
    status, text = checked(run, capsys)
    assert status == 1
    assert problem.format(file=file) in text.partition("Damaged:\n")[2]


def test_damaged_experience_is_told_with_the_ways_to_go_on(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = run / "replay" / "00000001.steps"
    data = bytearray(steps.read_bytes())
    data[60] ^= 1  # of row 1: the reward or the action of step 11
    steps.write_bytes(data)
    status, text = checked(run, capsys)
    assert status == 1
    assert "continue from the checkpoint of step 20: worldmodels train --checkpoint STEP" in text
    assert f"continue without the damaged steps: worldmodels check {run} --leave-out" in text
    status, text = checked(run, capsys, mend=True)
    assert status == 0
    # The frames after row 1 of its block cannot be decoded either: all nine, of both streams.
    assert "Left out 18 of 20 steps of chunk 1." in text
    assert "replay         40 steps in 3 chunks (18 more were damaged and left out)" in text
    replay = image_replay(run / "replay", 2, (3, 4, 1), ReplayConfig(16 * 10 * 2, 1))
    replay.load(Checkpoints(run / "checkpoints").read()[1]["replay"])
    assert replay.span == range(29)


def test_links_and_leftovers_are_told_apart(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / ".config.yaml.tmp-123").write_text("half")
    status, text = checked(run, capsys)
    assert status == 0
    assert "half written   1 file, which the next start removes" in text
    os.symlink(run / "config.yaml", run / "link.yaml")
    status, text = checked(run, capsys)
    assert status == 1
    assert f"'{run / 'link.yaml'}' is a link" in text


def test_what_is_no_run_or_trains_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="There is no run folder"):
        check_and_report(tmp_path / "nothing")
    with RunDir(run).lock(), pytest.raises(RunError, match="Another process"):
        check_and_report(run, mend=True)
