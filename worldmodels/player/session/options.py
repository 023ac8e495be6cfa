"""The options of the player that the command line can set, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldmodels.core.errors import UserError, unknown
from worldmodels.envs.games.levels import LEVELS, Levels

MAX_ZOOM = 32
MAX_RATE = 240
MAX_TICKS = 1_000_000
VIEWS = ("people", "agent")
ALONE = ("model", "real")
STARTS = ("recorded", "game")


@dataclass(frozen=True)
class PlayOptions:
    """The options of `play_runs` and `play_game`, which refuses the options of a model."""

    headless: bool = False
    """Whether to play without a window: keys come from `key_script`, pictures go to `video`."""
    keys: str | Path | None = None
    """A file that gives keys other meanings (`player/session/controls/key_file.py`)."""
    key_script: str | Path | None = None
    """A key script (`player/session/controls/key_script.py`); its keys are added to the person's."""
    video: str | Path | None = None
    """The video to write (.mp4 or .gif), with a frame for each tick of the clock."""
    width: int | None = None
    """The video's width in pixels, at most; by default the screen's, or 800 in a .gif."""
    zoom: int | None = None
    """Screen pixels for each pixel of a 64x64 frame. By default chosen by the number of frames."""
    rate: int = 15
    """Ticks of the clock, which are steps of the worlds, each second."""
    temperature: float = 1.0
    """The temperature of the model's samples; 0 takes the most probable."""
    policy: bool = False
    """Whether the policy plays from the start; key P changes it, and any action key takes over."""
    policy_temperature: float = 1.0
    """The temperature of the policy's samples; 0 takes the most probable action."""
    put_back_every: int = 0
    """Steps after which the model is put back on the real state; 0 leaves that to key X."""
    record: str | Path | None = None
    """The recording of actions to write (`recordings/action_recording.py`)."""
    script: str | Path | None = None
    """A recording whose actions are played: key T chooses it, key P starts it. It plays from the start without
    `policy`."""
    pictures: str | Path = "pictures"
    """The folder in which key F2 saves pictures."""
    alone: str = ""
    """The one world of a run to play: "real" is the game without the model, "model" the model without the game."""
    start: str = "recorded"
    """The start of a model alone: "recorded" in the run's experience, "game" at an episode's first frame."""
    view: str = "people"
    """The view of a game alone: "people" (512 pixels) or "agent" (64 pixels, enlarged); key V changes it."""
    levels: Levels = "train"
    """The levels of a run: "train" plays the levels on which the run was trained, "test" all others, "unseen"
    the others whose layout is none of theirs."""
    seed: int = 0
    """The seed of the levels, the model's samples and the policy's: same seed and keys, same pictures."""
    web: bool = False
    """Whether to serve the session to browsers instead of opening a window."""
    host: str = "127.0.0.1"
    """The address or name that browsers reach; by default only on this machine."""
    port: int = 8765
    """The port; 0 takes a free one."""
    steps: int | None = None
    """Steps (ticks of the clock) after which to stop; without a window, by default the last event of the key script."""

    def __post_init__(self) -> None:
        _check("width", self.width, 16, 8192)
        _check("zoom", self.zoom, 1, MAX_ZOOM)
        _check("rate", self.rate, 1, MAX_RATE)
        _check("temperature", self.temperature, 0.0, 10.0)
        _check("policy_temperature", self.policy_temperature, 0.0, 10.0)
        _check("put_back_every", self.put_back_every, 0, 1_000_000)
        _check("steps", self.steps, 1, MAX_TICKS)
        _check("port", self.port, 0, 65535)
        if self.view not in VIEWS:
            raise UserError(unknown("view", self.view, VIEWS))
        if self.alone and self.alone not in ALONE:
            raise UserError(unknown("world", self.alone, ALONE))
        if self.start not in STARTS:
            raise UserError(unknown("start", self.start, STARTS))
        if self.start == "game" and self.alone != "model":
            raise UserError("The start 'game' is for a model that is played alone: give --alone model too.")
        if self.alone and self.put_back_every:
            raise UserError("A world that is played alone is never put back: leave out --put-back-every or --alone.")
        if self.alone == "real" and self.temperature != PlayOptions.temperature:
            raise UserError("--temperature is that of the model, and --alone real plays without it: leave one out.")
        if self.width is not None and self.video is None:
            raise UserError(f"The width is the video's: give --video FILE too. Received {self.width}.")
        if not self.web and (self.host, self.port) != (PlayOptions.host, PlayOptions.port):
            raise UserError(
                "The host and the port are for the player in a browser: give --web too. Received "
                f"{self.host}, port {self.port}."
            )
        if self.levels not in LEVELS:
            raise UserError(unknown("level set", self.levels, LEVELS))
        if self.levels != "train" and self.alone == "model" and self.start == "recorded":
            raise UserError(
                "A model alone starts in the run's experience, which is from training levels. The start 'game' plays "
                f"{self.levels} levels."
            )
        if self.alone == "model" and self.record:
            raise UserError("The real game verifies a recording, and a model alone has none: leave out the recording.")
        if self.headless and self.web:
            raise UserError("Play is headless or in a browser (web). Received both.")
        if self.headless and self.video is None:
            raise UserError("Playing headless writes a video: give its file, for example --video play.mp4.")
        if self.headless and self.key_script is None and self.steps is None:
            raise UserError("Playing headless needs an end: a key script (--key-script FILE) or a length (--steps N).")
        if self.video is not None and Path(self.video).suffix not in (".mp4", ".gif"):
            raise UserError(f"A video's name must end in .mp4 or .gif. Received '{self.video}'.")


def _check(name: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        raise UserError(f"The player's option '{name}' must be from {low:g} to {high:g}. Received {value!r}.")
