from __future__ import annotations

import errno
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worldmodels.core.errors import DiskFullError, FileError
from worldmodels.telemetry.sinks import JSONLSink, TensorBoardSink, count_events


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line, parse_constant=not_json) for line in path.read_text().splitlines()]


def not_json(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def test_one_line_per_call(tmp_path: Path) -> None:
    sink = JSONLSink(tmp_path / "metrics.jsonl")
    sink.scalars(16, {"episode/return": np.float32(1.5)})
    sink.scalars(32, {"model/kl": float("nan"), "model/loss": 2})
    sink.video(32, "eval/video", np.zeros((1, 2, 2, 3), np.uint8))
    sink.close()
    first, second = lines(sink.path)
    assert first == {"step": 16, "episode/return": 1.5}
    assert second == {"step": 32, "model/loss": 2.0, "model/kl": None}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("inf"), np.float64("nan")])
def test_what_is_not_finite_is_null(tmp_path: Path, value: float) -> None:
    sink = JSONLSink(tmp_path / "metrics.jsonl")
    sink.scalars(1, {"a": value, "b": 1e300})
    assert lines(sink.path) == [{"step": 1, "a": None, "b": 1e300}]


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1, "a": 1.0}\n{"step": 2, "a"')
    JSONLSink(path).scalars(3, {"a": 3})
    assert lines(path) == [{"step": 1, "a": 1.0}, {"step": 3, "a": 3.0}]


def test_what_was_written_after_a_checkpoint_is_dropped_even_at_the_same_step(tmp_path: Path) -> None:
    sink = JSONLSink(tmp_path / "metrics.jsonl")
    empty = sink.save()
    sink.scalars(10, {"a": 1})
    sink.scalars(20, {"a": 2})
    saved = sink.save()
    sink.scalars(20, {"a": 3})
    sink.scalars(30, {"a": 4})
    sink.load(saved)
    sink.scalars(20, {"a": 5})
    assert [(line["step"], line["a"]) for line in lines(sink.path)] == [(10, 1), (20, 2), (20, 5)]
    sink.load(empty)
    assert not sink.path.exists()


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sink = JSONLSink(tmp_path / "metrics.jsonl")
    sink.scalars(1, {"a": 1})

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFullError, match=r"metrics\.jsonl"):
        sink.scalars(2, {"a": 2})
    assert lines(sink.path) == [{"step": 1, "a": 1.0}]


def test_a_line_that_the_kernel_cuts_short_is_taken_back(tmp_path: Path) -> None:
    program = (
        "import resource, signal, sys\n"
        "from worldmodels.core.errors import DiskFullError\n"
        "from worldmodels.telemetry.sinks import JSONLSink\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "sink = JSONLSink(sys.argv[1])\n"
        "try:\n"
        "    for step in range(10): sink.scalars(step, {'a': 1.0})\n"
        "except DiskFullError: sys.exit(7)\n"
    )
    path = tmp_path / "metrics.jsonl"
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == 7
    assert path.read_text() == "".join(f'{{"step": {step}, "a": 1.0}}\n' for step in range(4))  # 23 bytes each


def test_tensorboard_needs_no_tensorflow_until_it_writes(tmp_path: Path) -> None:
    program = (
        "import sys; from worldmodels.telemetry.sinks import TensorBoardSink\n"
        "sink = TensorBoardSink(sys.argv[1]); sink.load(sink.save()); sink.close()\n"
        "sys.exit('tensorflow' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert os.listdir(tmp_path) == []


def scalars_in(folder: Path) -> list[tuple[int, str, float]]:
    from tensorboard.backend.event_processing import event_accumulator

    accumulator = event_accumulator.EventAccumulator(str(folder), {"tensors": 0})
    accumulator.Reload()
    tags = [tag for tag in accumulator.Tags()["tensors"] if not tag.startswith("video")]
    return sorted(
        (event.step, tag, float(np.frombuffer(event.tensor_proto.tensor_content, np.float32)[0]))
        for tag in tags
        for event in accumulator.Tensors(tag)
    )


def test_tensorboard_shows_scalars_and_videos_and_forgets_the_future(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing import event_accumulator

    sink = TensorBoardSink(tmp_path)
    for step in (10, 20):
        sink.scalars(step, {"episode/return": step / 2, "model/kl": 1.0})
    sink.video(20, "video/imagined", np.zeros((3, 8, 8, 3), np.uint8))
    saved = sink.save()
    for step in (20, 30):
        sink.scalars(step, {"episode/return": 99.0})
    sink.load(saved)
    sink.scalars(25, {"episode/return": 7.0})
    sink.close()
    assert scalars_in(tmp_path) == [
        (10, "episode/return", 5.0),
        (10, "model/kl", 1.0),
        (20, "episode/return", 10.0),
        (20, "model/kl", 1.0),
        (25, "episode/return", 7.0),
    ]
    accumulator = event_accumulator.EventAccumulator(str(tmp_path), {"tensors": 0})
    accumulator.Reload()
    width, height, image = accumulator.Tensors("video/imagined")[0].tensor_proto.string_val
    assert (width, height, image[:3]) == (b"8", b"8", b"GIF")


def test_tensorboard_shows_what_float32_cannot_hold_as_infinite(tmp_path: Path) -> None:
    sink = TensorBoardSink(tmp_path)
    sink.scalars(1, {"a": 1e39, "b": -1e300, "c": math.inf, "d": 3e38})
    sink.close()
    shown = {name: value for _, name, value in scalars_in(tmp_path)}
    assert shown == {"a": math.inf, "b": -math.inf, "c": math.inf, "d": float(np.float32(3e38))}


def test_a_file_of_a_process_that_began_after_the_checkpoint_goes(tmp_path: Path) -> None:
    sink = TensorBoardSink(tmp_path)
    saved = sink.save()
    sink.scalars(10, {"a": 1.0})
    TensorBoardSink(tmp_path).load(saved)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_a_power_cut_left_shorter_than_the_checkpoint_says_stays(tmp_path: Path) -> None:
    sink = TensorBoardSink(tmp_path)
    sink.scalars(10, {"a": 1.0})
    sink.scalars(20, {"a": 2.0})
    saved = sink.save()
    sink.close()
    (path,) = tmp_path.iterdir()
    os.truncate(path, path.stat().st_size - 3)
    TensorBoardSink(tmp_path).load(saved)
    assert scalars_in(tmp_path) == [(10, "a", 1.0)]


def test_tensorboard_reports_a_full_disk(tmp_path: Path) -> None:
    program = (
        "import resource, signal, sys\n"
        "from worldmodels.core.errors import DiskFullError\n"
        "from worldmodels.telemetry.sinks import TensorBoardSink\n"
        "sink = TensorBoardSink(sys.argv[1])\n"
        "sink.scalars(0, {'a': 1.0})\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))\n"
        "try:\n"
        "    for step in range(100): sink.scalars(step, {'a': 1.0})\n"
        "except DiskFullError: sys.exit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False).returncode == 7


def test_a_link_in_place_of_the_records_is_refused_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text('{"mine": 1}\ntorn')
    path = tmp_path / "metrics.jsonl"
    sink = JSONLSink(path)
    path.symlink_to(outside)
    for use in (lambda: JSONLSink(path), lambda: sink.scalars(1, {"a": 1.0}), lambda: sink.load({"bytes": 3})):
        with pytest.raises(FileError, match=r"metrics\.jsonl' is a link"):
            use()
    events = tmp_path / "events.out.tfevents.1"
    events.symlink_to(outside)
    with pytest.raises(FileError, match="is a link"):
        TensorBoardSink(tmp_path).load({"bytes": {events.name: 3}})
    assert outside.read_text() == '{"mine": 1}\ntorn'


def test_a_folder_whose_name_is_no_text_takes_event_files(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"run \xff")
    folder.mkdir()
    sink = TensorBoardSink(folder)
    sink.scalars(1, {"a": 1})
    sink.close()
    assert [count_events(path) for path in sink._files()] == [2]  # the version of the format, and the number


def test_an_event_file_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow as tf

    def refused(folder: bytes) -> None:
        raise tf.errors.PermissionDeniedError(None, None, "events; Permission denied")

    monkeypatch.setattr(tf.summary, "create_file_writer", refused)
    with pytest.raises(FileError, match=f"'{tmp_path}' cannot be written: TensorBoard's file: .*Permission denied"):
        TensorBoardSink(tmp_path).scalars(1, {"a": 1})
