"""Measures the player: steps a second, the time from a key to its picture, and the cost of a pause.

    python benchmarks/player_speed.py [--seconds 20] [--presets dreamer_small simple_small flow_small]
                                      [--sizes 640x400 ...]

For each preset a run folder with fresh weights is made, which take as long as learned ones, and played in a window:
model, reality, difference and policy together. Without a display the window is one that SDL keeps in memory, and the
time to show it is saved; `xvfb-run -a -s "-screen 0 4000x2300x24" python ...` includes that, and has room for the
largest window.

steps/s        as many as there can be, with a key held: the clock is set to 240
key to picture keys are pressed at random times while the clock ticks 15 (and 30) times a second; the time from the
               press until the picture of the step that obeys it has been shown
paused         processor time, of all threads, in each second of a pause
by size        steps/s, and milliseconds to draw and to show a picture, in windows of several sizes, one after the
               other and round again, so that whatever else the machine does concerns all of them
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pygame
from provenance import made_by, made_line
from speed.stopwatch import machine

from worldmodels.acting.build import build_parts
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.player import app
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.session import Session
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.resizable_window import WindowMemory, remember

STEPS_A_SECOND, MILLISECONDS, PAUSED = 15, 80, 0.05
"""Targets: steps a second to reach, milliseconds and share of a processor to stay below."""
FASTEST = 240
ROUNDS = 3
OPENED = (1312, 640)
COMMAND = 'xvfb-run -a -s "-screen 0 4000x2300x24" python benchmarks/player_speed.py'
SIZES = ("640x400", "1366x768", "2560x1440", "3840x2160")
KEYS = (pygame.K_RIGHT, pygame.K_LEFT, pygame.K_UP)


class KeyProbe:
    """Presses keys, and measures the time until the picture of the tick that took them is shown."""

    def __init__(self) -> None:
        self.pressed: list[float] = []
        self.seconds: list[float] = []
        self.ticks = 0
        self.drawn: list[float] = []
        """Seconds to draw each picture."""
        self.shown: list[float] = []
        """Seconds to show it."""
        self._taken: list[float] = []

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Measure while pictures are shown and sessions tick."""
        flip, tick, draw = pygame.display.flip, Session.tick, Painter.draw

        def timed_draw(painter: Painter, *what: Any) -> None:
            start = time.perf_counter()
            draw(painter, *what)
            self.drawn.append(time.perf_counter() - start)

        def timed_flip() -> None:
            start = time.perf_counter()
            flip()
            now = time.perf_counter()
            self.shown.append(now - start)
            self.seconds += [now - pressed for pressed in self._taken]
            self._taken = []

        def timed_tick(session: Session, events: Any = ()) -> bool:
            events = list(events)
            self.ticks += 1
            downs = sum(event.pressed for event in events)
            self._taken += self.pressed[:downs]
            del self.pressed[:downs]
            return tick(session, events)

        pygame.display.flip, Session.tick, Painter.draw = timed_flip, timed_tick, timed_draw
        try:
            yield
        finally:
            pygame.display.flip, Session.tick, Painter.draw = flip, tick, draw

    def press(self, key: int) -> None:
        """Press and release a key as a keyboard does."""
        self.pressed.append(time.perf_counter())
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key, unicode="", mod=0))
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=key, mod=0))


def make_run(preset: str, overrides: list[str], folder: Path) -> Path:
    """Write the folder of a run of a preset, with fresh weights, and return its path."""
    config = load_config(RunConfig, [preset], ["env.game=coinrun", *overrides])
    run, env = RunDir.create(folder / preset, config, {}), build_env(config, num_envs=1)
    parts = build_parts(config, env)
    Checkpoints(run.checkpoints).write(0, {"model": parts.model.save(), "agent": parts.agent.save()})
    env.close()
    return folder / preset


def play(run: Path, rate: int, during: Callable[[KeyProbe], Any], policy: bool = True) -> Any:
    """Play a run in a window while a thread calls `during`; close the window and return what that returned."""
    probe, results = KeyProbe(), []

    def press_keys() -> None:
        while probe.ticks < 2 * rate:  # the first pictures take longer
            time.sleep(0.05)
        try:
            results.append(during(probe))
        finally:
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    thread = threading.Thread(target=press_keys)
    thread.start()
    with probe.measuring():
        app.play_runs([run], PlayOptions(rate=rate, policy=policy))
    thread.join()
    return results[0]


def opened_in(size: tuple[int, int]) -> None:
    """Let the next window open in this size: it is what the last one left."""
    remember(WindowMemory(*size, hint_shown=True))


def pictures(seconds: float) -> Callable[[KeyProbe], dict[str, float]]:
    """Measure steps a second, and the median milliseconds of drawing a picture and of showing it."""

    def during(probe: KeyProbe) -> dict[str, float]:
        probe.drawn.clear()
        probe.shown.clear()
        rate = steps_a_second(seconds)(probe)
        drawn, shown = (float(np.median(times)) * 1000 for times in (probe.drawn, probe.shown))
        return {"steps_per_second": rate, "drawing": drawn, "showing": shown}

    return during


def by_size(run: Path, sizes: list[tuple[int, int]], seconds: float) -> dict[str, dict[str, float]]:
    """Return the medians over `ROUNDS` rounds of what `pictures` measures in each size."""
    found: dict[str, list[dict[str, float]]] = {}
    for _ in range(ROUNDS):
        for size in sizes:
            opened_in(size)
            found.setdefault(f"{size[0]} x {size[1]}", []).append(play(run, FASTEST, pictures(seconds / ROUNDS)))
    return {
        size: {name: float(np.median([figures[name] for figures in rounds])) for name in rounds[0]}
        for size, rounds in found.items()
    }


def steps_a_second(seconds: float) -> Callable[[KeyProbe], float]:
    def during(probe: KeyProbe) -> float:
        before, start = probe.ticks, time.perf_counter()
        time.sleep(seconds)
        return (probe.ticks - before) / (time.perf_counter() - start)

    return during


def key_to_picture(seconds: float) -> Callable[[KeyProbe], list[float]]:
    def during(probe: KeyProbe) -> list[float]:
        generator, until = np.random.default_rng(0), time.perf_counter() + seconds
        probe.seconds.clear()
        while time.perf_counter() < until:
            probe.press(int(generator.choice(KEYS)))
            time.sleep(generator.uniform(0.15, 0.35))
        return [1000 * second for second in probe.seconds]

    return during


def paused(seconds: float) -> Callable[[KeyProbe], float]:
    def during(probe: KeyProbe) -> float:
        probe.press(pygame.K_c)
        time.sleep(1)
        before, start = time.process_time(), time.perf_counter()
        time.sleep(seconds)
        return (time.process_time() - before) / (time.perf_counter() - start)

    return during


def measure(preset: str, overrides: list[str], seconds: float, sizes: list[tuple[int, int]]) -> dict[str, Any]:
    """Return all figures of one preset."""
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(preset, overrides, Path(folder))
        slow, fast = (play(run, rate, key_to_picture(seconds)) for rate in (15, 30))
        return {
            "steps_per_second": play(run, FASTEST, steps_a_second(seconds)),
            "milliseconds": {"15": _spread(slow), "30": _spread(fast)},
            "paused": play(run, 15, paused(seconds)),
            "sizes": by_size(run, sizes, seconds),
        }


def _spread(values: list[float]) -> dict[str, float]:
    median, high = np.percentile(values, (50, 95))
    return {"median": float(median), "95th": float(high), "keys": len(values)}


def report(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    how = result["machine"]
    lines = [
        "# Speed of the player",
        "",
        f"`{result['command']}`, {how['cores']} cores of {how['processor']}, TensorFlow {how['tensorflow']}, window "
        f"shown by '{result['driver']}'. The game is CoinRun; model, reality, difference and policy run together. The "
        "time from a key to its picture is the median and the 95th percentile over keys pressed at random times. The "
        "mean wait for the clock is half a tick, 33 ms at 15 steps/s.",
        "",
        "| preset | steps/s | key to picture at 15 steps/s | at 30 steps/s | processor while paused |",
        "|---|---|---|---|---|",
    ]
    for preset, figures in result["presets"].items():
        slow, fast = figures["milliseconds"]["15"], figures["milliseconds"]["30"]
        lines.append(
            f"| {preset} | {figures['steps_per_second']:.0f} (target {STEPS_A_SECOND}) "
            f"| {slow['median']:.0f} ms, {slow['95th']:.0f} ms (target {MILLISECONDS}) "
            f"| {fast['median']:.0f} ms, {fast['95th']:.0f} ms "
            f"| {100 * figures['paused']:.1f} % (target {100 * PAUSED:.0f} %) |"
        )
    lines += ["", "| preset | window | steps/s | drawing | showing |", "|---|---|---|---|---|"]
    lines += [
        f"| {preset} | {size} | {at['steps_per_second']:.0f} | {at['drawing']:.1f} ms | {at['showing']:.1f} ms |"
        for preset, figures in result["presets"].items()
        for size, at in figures["sizes"].items()
    ]
    return "\n".join([*lines, "", made_line([result])]) + "\n"


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return int(width), int(height)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presets", nargs="+", default=["dreamer_small", "simple_small", "flow_small"])
    parser.add_argument("--sizes", nargs="+", type=_size, default=[*map(_size, SIZES)], metavar="WIDTHxHEIGHT")
    parser.add_argument("--overrides", nargs="*", default=[], metavar="KEY=VALUE")
    parser.add_argument("--seconds", type=float, default=20, help="of each figure (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "player_speed")
    how = parser.parse_args()
    if "DISPLAY" not in os.environ:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    driver = pygame.display.get_driver()
    result: dict[str, Any] = {"command": COMMAND, "driver": driver}
    with tempfile.TemporaryDirectory() as states:
        os.environ["XDG_STATE_HOME"] = states  # where windows remember their size
        opened_in(OPENED)
        measured = {preset: measure(preset, how.overrides, how.seconds, how.sizes) for preset in how.presets}
    result["presets"] = measured
    result |= {"machine": machine(), "made_by": made_by()}
    how.output.with_suffix(".json").write_text(json.dumps(result, indent=2) + "\n")
    how.output.with_suffix(".md").write_text(report(result))
    print(report(result))


if __name__ == "__main__":
    main()
