"""How to play: what the command line can set, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldmodels.core.errors import UserError
from worldmodels.core.lookup import unknown

MAX_ZOOM = 32
MAX_RATE = 240
VIEWS = ("people", "agent")
ALONE = ("model", "real")
STARTS = ("recorded", "game")


@dataclass(frozen=True)
class PlayOptions:
    """Options of `play_run` and `play_game`; what concerns the model has no effect on a game alone."""

    headless: bool = False
    """Play without a window: keys come from `keys`, pictures go to `video`."""
    keys: str | Path | None = None
    """A key script, see `worldmodels.player.script`; with a window, its keys join those of the person."""
    video: str | Path | None = None
    """Where to write what was seen (.mp4 or .gif), one frame for each tick of the clock."""
    width: int | None = None
    """Pixels across of the video, at most; by default as wide as the screen, a .gif at most 800."""
    zoom: int | None = None
    """Screen pixels for each pixel of a 64x64 frame. By default 6, or 8 for a game alone."""
    rate: int = 15
    """Ticks of the clock, so steps of the worlds, each second."""
    temperature: float = 1.0
    """Of the model's latent sampling; 0 takes the most probable."""
    policy: bool = False
    """The policy plays from the start; key P changes it, and any action key takes over."""
    policy_temperature: float = 1.0
    """Of the policy's sampling; 0 takes the most probable action."""
    put_back_every: int = 0
    """Put the model back on the real state after this many steps; 0: only key X does."""
    record: str | Path | None = None
    """Where to write what was done, as an action file (`runtime/action_recording.py`)."""
    script: str | Path | None = None
    """An action file whose actions can play: who T chooses and P lets play, and from the start if nobody else does."""
    pictures: str | Path = "pictures"
    """Where key F2 saves what is seen."""
    alone: str = ""
    """Of a run: "real" plays the real game without the model, "model" the model without the real game."""
    start: str = "recorded"
    """Where a model alone begins: "recorded" at moments that the run recorded, "game" where episodes begin."""
    view: str = "people"
    """Of a game alone: "people" (512 pixels) or "agent" (64 pixels, enlarged); key V changes it."""
    seed: int = 0
    """Of the levels, the model's samples and the policy's: same seed and keys, same pictures."""
    ticks: int | None = None
    """Stop after this many ticks. Without a window it is by default the last event of the key script."""

    def __post_init__(self) -> None:
        _check("width", self.width, 16, 8192)
        _check("zoom", self.zoom, 1, MAX_ZOOM)
        _check("rate", self.rate, 1, MAX_RATE)
        _check("temperature", self.temperature, 0.0, 10.0)
        _check("policy_temperature", self.policy_temperature, 0.0, 10.0)
        _check("put_back_every", self.put_back_every, 0, 1_000_000)
        _check("ticks", self.ticks, 1, 1_000_000)
        if self.view not in VIEWS:
            raise UserError(unknown("view", self.view, VIEWS))
        if self.alone and self.alone not in ALONE:
            raise UserError(unknown("world to play alone", self.alone, ALONE))
        if self.start not in STARTS:
            raise UserError(unknown("start", self.start, STARTS))
        if self.alone == "model" and self.record:
            raise UserError("A recording is verified by the real game; there is none where a model is played alone.")
        if self.headless and self.video is None:
            raise UserError("Playing headless shows nothing: say where the video goes, for example --video play.mp4.")
        if self.headless and self.keys is None and self.ticks is None:
            raise UserError("Playing headless needs an end: give a key script (--keys FILE) or a length (--steps N).")
        if self.video is not None and Path(self.video).suffix not in (".mp4", ".gif"):
            raise UserError(f"A video's name must end in .mp4 or .gif. Received '{self.video}'.")


def _check(name: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        raise UserError(f"The player's option '{name}' must be from {low:g} to {high:g}. Received {value!r}.")
