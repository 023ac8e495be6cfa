"""Every control from a real keyboard: a window on a display of its own, and keys that xdotool types."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import pytest
from untrained import write_untrained_run

from worldmodels.recordings.action_recording import read_recording
from worldmodels.recordings.action_replay import verify_recording

TOOLS = ("Xvfb", "xdotool", "import")
pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, TOOLS)), reason=f"needs {', '.join(TOOLS)} (of X, xdotool and ImageMagick)"
)
KEY_PRESSES = (
    *("space", "keydown Right", "sleep 0.5", "keydown Up", "sleep 0.4", "keyup Right", "keyup Up", "sleep 0.2"),
    *("d", "a", "w", "s", "1", "shot moved", "x", "sleep 0.4", "shot put-back"),
    *("p", "sleep 0.5", "t", "sleep 0.3", "p", "t", "p", "sleep 0.5", "shot policy", "Left", "sleep 0.2"),
    *("c", "n", "n", "Right", "sleep 0.2", "shot paused", "BackSpace", "BackSpace", "sleep 0.3", "shot rewound"),
    *("shift+F1", "sleep 0.1", "Right", "Right", "F1", "sleep 0.2", "shot loaded"),
    *(
        "b",
        "sleep 6",
        "shot samples",
        "b",
        "sleep 1",
        "shot actions",
        "b",
        "y",
        "Right",
        "sleep 0.5",
        "shot uncertainty",
        "y",
    ),
    *("Tab", "plus", "Tab", "plus", "Tab", "minus", "plus", "shot settings", "v", "sleep 0.2", "F2", "sleep 0.3"),
    *("h", "sleep 0.3", "shot help", "h", "question", "sleep 0.2", "Escape", "sleep 0.2"),
    *("r", "sleep 0.2", "c", "sleep 0.3", "shot new", "F2", "sleep 0.3", "Escape"),
)
"""The keys that xdotool types, and words of our own."""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A tiny recurrent model and its policy."""
    folder = tmp_path_factory.mktemp("walk") / "run"
    return write_untrained_run(folder, ["dreamer_small", "debug"], ["env.game=coinrun"])


@pytest.fixture
def display():
    """A display of its own, and the environment of a process that shows itself there."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1800x900x24"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as number:
        name = f":{number.readline().strip()}"
    environment = {key: value for key, value in os.environ.items() if key != "SDL_VIDEODRIVER"}
    yield environment | {"DISPLAY": name}
    server.terminate()
    server.wait()


class Keyboard:
    """Types keys on a display, and takes screenshots of it."""

    def __init__(self, environment, pictures):
        self._environment, self._pictures = environment, pictures
        pictures.mkdir()

    def do(self, what):
        word, _, rest = what.partition(" ")
        if word == "sleep":
            time.sleep(float(rest))
        elif word == "shot":
            self._call("import", "-window", "root", str(self._pictures / f"{rest}.png"))
        elif word in ("keydown", "keyup"):
            self._call("xdotool", word, rest)
        else:
            self._call("xdotool", "key", word)
            time.sleep(0.08)

    def turn_to_the_window(self):
        """It is in the middle; without a window manager, keys go where the mouse is."""
        self._call("xdotool", "mousemove", "900", "450")

    def _call(self, *command):
        subprocess.run(command, env=self._environment, check=True, capture_output=True, timeout=60)


def wait_until(condition, seconds=90):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.1)


@pytest.mark.slow
def test_every_control_works_from_a_keyboard(run, display, tmp_path):
    record, pictures = tmp_path / "play.jsonl", tmp_path / "pictures"
    command = [sys.executable, "-m", "worldmodels", "play", str(run), "--record", str(record)]
    (tmp_path / "keys.txt").write_text("0 tap f2\n")  # its picture says that the model has been loaded
    command += ["--pictures", str(pictures), "--zoom", "4", "--key-script", str(tmp_path / "keys.txt")]
    with open(tmp_path / "log.txt", "w") as log:
        player = subprocess.Popen(command, env=display, stdout=log, stderr=subprocess.STDOUT, cwd=tmp_path)
    keyboard = Keyboard(display, tmp_path / "shots")
    try:
        keyboard.turn_to_the_window()
        wait_until((pictures / "play-001.png").exists)
        for what in KEY_PRESSES:
            keyboard.do(what)
        assert player.wait(timeout=30) == 0, (tmp_path / "log.txt").read_text()
    finally:
        player.kill()
    played = read_recording(record)
    verify_recording(played, record)
    assert len(played.episodes) == 2
    events = [event[1] for event in played.episodes[0].events]
    assert {"put back", "model temperature: 1.25", "sample: 1"} <= set(events)
    assert len(list(pictures.glob("play-00?.png"))) == 3
    shots = {path.stem: path.read_bytes() for path in (tmp_path / "shots").iterdir()}
    assert len(set(shots.values())) == len(shots) == 12
