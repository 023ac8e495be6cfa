"""Shows the progress of a run as a live panel in a terminal, or as plain lines in a log."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from rich import box
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from worldmodels.core.errors import visible
from worldmodels.telemetry.display import Display, duration, number, sparkline

SPEEDS = {
    "time/env_steps_per_second": "env steps/s",
    "time/updates_per_second": "updates/s",
    "time/policy_updates_per_second": "policy updates/s",
    "time/frames_per_second": "frames/s",
}
LABEL, NUMBER, TRAIN, EVALUATION = "grey62", "bold", "green", "magenta"
SPARKS = 32  # bars of a sparkline
LINE_LOSSES = 4  # the most losses in a line


class Status:
    """The status of a run. Another thread may read it: values are replaced, and lists only grow."""

    def __init__(self, total_steps: int, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.total_steps = total_steps
        self.title = visible(title)
        self.step = 0
        self.phase = ""
        self.seconds_left: float | None = None
        self.values: dict[str, float] = {}
        self.history: dict[str, list[float]] = {"episode/return": [], "eval/return": []}
        self._clock = clock
        self._start = clock()

    def update(
        self, step: int, values: Mapping[str, float], phase: str = "", seconds_left: float | None = None
    ) -> None:
        """Set the step, the phase in words and the time left; values that are not given stay."""
        self.step, self.phase, self.seconds_left = int(step), phase, seconds_left
        self.values = {**self.values, **{name: float(value) for name, value in values.items()}}
        for name, returns in self.history.items():
            if name in values and math.isfinite(values[name]):
                returns.append(float(values[name]))

    @property
    def fraction(self) -> float:
        """The share of the run that is done, 0 to 1."""
        return min(1.0, self.step / self.total_steps) if self.total_steps else 0.0

    @property
    def elapsed(self) -> float:
        """The seconds since the status was made."""
        return self._clock() - self._start


class Progress(Display):
    """The display of a run: `with Progress(total_steps, title) as progress: ...`."""

    def __init__(
        self, total_steps: int, title: str, console: Console | None = None, plain_interval: float = 10.0
    ) -> None:
        self._status = Status(total_steps, title)
        super().__init__(title, console, plain_interval)

    def update(
        self, step: int, values: Mapping[str, float], phase: str = "", seconds_left: float | None = None
    ) -> None:
        """Set the environment steps done, and new values by grouped name; cheap enough for every tick.

        Args:
            phase: the present phase, in words; empty for none.
            seconds_left: the time until the end of the run; None: not known yet.
        """
        self._status.update(step, values, phase, seconds_left)

    def picture(self) -> RenderableType:
        return panel(self._status)

    def lines(self) -> Iterable[str]:
        return [line(self._status)]


def panel(status: Status) -> RenderableType:
    """Return the panel: progress, time, speed, returns, and every value of the model and the policy."""
    rows = Table.grid(padding=(0, 2), expand=True)
    rows.add_column(style=LABEL, no_wrap=True, width=8)
    rows.add_column(ratio=1)
    rows.add_row("progress", _bar(status))
    if status.phase:
        rows.add_row("phase", Text(status.phase))
    rows.add_row("time", _time(status))
    speeds = [Text.assemble((number(value), NUMBER), (f" {label}", LABEL)) for label, value in _speeds(status)]
    rows.add_row("speed", _columns(speeds))
    rows.add_row("return", _returns(status))
    for group in ("model", "policy"):
        values = {name: value for name, value in status.values.items() if name.startswith(group + "/")}
        cells = [Text.assemble((_label(name), LABEL), (f" {number(value)}", NUMBER)) for name, value in values.items()]
        rows.add_row(group, _columns(cells))
    title = Text.assemble((" " + status.title + " ", "bold cyan"))
    return Panel(rows, title=title, title_align="left", box=box.ROUNDED, border_style="grey42", padding=(0, 1))


def line(status: Status) -> str:
    """Return the status in one line, the most important values first."""
    parts = [
        f"{status.fraction:4.0%} of {status.total_steps:,} steps" if status.total_steps else f"step {status.step:,}",
        *([status.phase] if status.phase else []),
        f"{duration(status.elapsed)} elapsed",
        f"{duration(status.seconds_left)} left",
    ]
    parts += [f"{number(value)} {label}" for label, value in _speeds(status)]
    for name, returns in status.history.items():
        if returns:
            parts.append(f"{'train' if name == 'episode/return' else 'eval'} return {number(returns[-1])}")
    labels = _loss_labels(status.values)
    losses = [f"{label} {number(status.values[name])}" for name, label in labels.items()]
    return " · ".join(parts + losses[:LINE_LOSSES])


def _bar(status: Status) -> RenderableType:
    row = Table.grid(padding=(0, 2), expand=True)
    row.add_column(ratio=1)
    row.add_column(justify="right", no_wrap=True)
    total = max(1, status.total_steps)
    bar = ProgressBar(total=total, completed=status.step, complete_style="cyan", finished_style="green")
    steps = Text.assemble((f"{status.fraction:.0%}", NUMBER), f"  {status.step:,} of {status.total_steps:,} steps")
    row.add_row(bar, steps)
    return row


def _time(status: Status) -> Text:
    left = status.seconds_left
    known = (duration(left), NUMBER), (" left", LABEL)
    unknown = (("measuring the pace" if status.fraction < 1 else "nearly done", LABEL),)
    remaining = known if left is not None else unknown
    return Text.assemble((duration(status.elapsed), NUMBER), (" elapsed", LABEL), "   ", *remaining)


def _returns(status: Status) -> RenderableType:
    lines = []
    for name, label, style in (("episode/return", "train", TRAIN), ("eval/return", "eval", EVALUATION)):
        returns = status.history[name]
        if not returns:
            lines.append(Text.assemble((f"{label:<5} ", LABEL), ("      –  none yet", LABEL)))
            continue
        newest, best = f"{number(returns[-1]):>7}", f"  best {number(max(returns)):<7}"
        curve = sparkline(returns, SPARKS)
        lines.append(Text.assemble((f"{label:<5} ", LABEL), (newest, f"bold {style}"), (best, LABEL), (curve, style)))
    return Group(*lines)


def _speeds(status: Status) -> list[tuple[str, float]]:
    return [(label, status.values[name]) for name, label in SPEEDS.items() if name in status.values]


def _columns(cells: list[Text]) -> RenderableType:
    """Return as many equal columns as fit, so that the numbers stay in place while they change."""
    return Columns(cells, equal=True, padding=(0, 3)) if cells else Text("not yet", LABEL)


def _loss_labels(values: Mapping[str, float]) -> dict[str, str]:
    """Return "image loss" for "model/image_loss", and "model loss" where two losses would have the same label."""
    short = {name: _label(name) for name in values if _is_loss(name)}
    twice = {label for label, count in Counter(short.values()).items() if count > 1}
    return {name: f"{name.partition('/')[0]} {label}" if label in twice else label for name, label in short.items()}


def _label(name: str) -> str:
    return name.partition("/")[2].replace("_", " ")


def _is_loss(name: str) -> bool:
    return name.startswith(("model/", "policy/")) and name.endswith("loss")
