"""Play episodes with a run's policy in its environment: show or film them, and print the return of each."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pygame

from worldmodels.acting.actor import ModelActor
from worldmodels.analysis.statistics.bootstrap import ANYWHERE, Span, estimate
from worldmodels.core.errors import ConfigError, UserError, counted
from worldmodels.core.output import print_text
from worldmodels.core.seeding import Streams
from worldmodels.envs import VectorEnv
from worldmodels.envs.games.levels import Levels, level_words, on_levels, returns_within
from worldmodels.envs.making import is_native
from worldmodels.evaluation.playing.episode_film import PlayedEpisode, play_episodes
from worldmodels.evaluation.report.comparison_video import BACKGROUND, framed, text_line, tiled
from worldmodels.loading.load import LoadedRun, load_run
from worldmodels.player.view.resizable_window import open_display
from worldmodels.telemetry.video import write_video

MOST_TOGETHER = 1_024
WIDEST = 1_280
"""Pixels across of several pictures beside each other, at most."""
DARK = 3
"""The factor by which the pictures of finished episodes are darker."""
FRAMES_A_SECOND = 30
"""The rate of pictures if the environment has none."""

SMALLEST_SIDE = 400
"""Pixels that the shorter side of the window has at least; smaller pictures are enlarged by a whole number."""


@dataclass(frozen=True)
class ShowOptions:
    """The options of `show_policy`.

    Raises:
        ConfigError: a number is out of its range.
    """

    episodes: int = 10
    """Episodes to play."""
    max_steps: int = 10_000
    """Steps after which an episode is cut."""
    temperature: float = 1.0
    """Temperature of the policy's samples; 0: deterministic, the most probable action."""
    step: int | None = None
    """The step of the checkpoint; the newest by default."""
    seed: int = 0
    """The seed of the episodes and of the policy's samples."""
    video: str | Path | None = None
    """A film to write, .mp4 or .gif, of all episodes one after the other."""
    window: bool = False
    """Whether a window shows the episodes."""
    rate: float | None = None
    """Pictures a second, of window and film; by default the environment's own rate."""
    levels: Levels = "train"
    """The levels of a native game: "train" plays the levels on which the run was trained, "test" all others, "unseen"
    the others whose layout is none of theirs."""
    num_levels: int = 0
    """The number of these levels to play, counted from the first; 0 plays all."""
    together: int = 1
    """Episodes that are played at once, side by side."""

    @property
    def needs_pictures(self) -> bool:
        """Whether pictures are drawn, for a window or a film."""
        return self.window or self.video is not None

    def __post_init__(self) -> None:
        for name in ("episodes", "max_steps", "together"):
            if getattr(self, name) < 1:
                raise ConfigError(f"The option '{name}' must be at least 1. Received {getattr(self, name)}.")
        if self.together > MOST_TOGETHER:
            raise ConfigError(f"At most {MOST_TOGETHER} episodes are played at once. Received {self.together}.")
        if not 0.0 <= self.temperature <= 10.0:
            raise ConfigError(f"The policy's temperature must be from 0 to 10. Received {self.temperature}.")
        if self.rate is not None and not 1 <= self.rate <= 240:
            raise ConfigError(f"The rate must be from 1 to 240 pictures a second. Received {self.rate}.")


class PolicyWindow:
    """A window that shows pictures at a rate, until it is closed.

    Args:
        title: the window's title.
        rate: pictures a second.
    """

    def __init__(self, title: str, rate: float):
        self._title, self._rate = title, rate
        self._clock = pygame.time.Clock()
        self._surface: pygame.Surface | None = None
        open_display()

    def show(self, picture: np.ndarray, words: str) -> bool:
        """Show a picture, uint8 (H, W, 3), with words beside the title; return False after the window was closed."""
        scale = max(1, -(-SMALLEST_SIDE // min(picture.shape[:2])))
        size = (scale * picture.shape[1], scale * picture.shape[0])
        if self._surface is None or self._surface.get_size() != size:
            self._surface = pygame.display.set_mode(size)
        frame = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        pygame.transform.scale(frame, size, self._surface)
        pygame.display.set_caption(f"{self._title} - {words}")
        pygame.display.flip()
        self._clock.tick(self._rate)
        return not any(map(_leaves, pygame.event.get()))

    def close(self) -> None:
        """Close the window."""
        pygame.display.quit()


def _leaves(event: pygame.event.Event) -> bool:
    return event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE)


def show_policy(path: str | Path, options: ShowOptions | None = None) -> list[PlayedEpisode]:
    """Play episodes with a run's policy, print and return them; closing the window ends play early.

    Raises:
        UserError: there is no such run or checkpoint, policy, level set or display, or the environment draws no
            pictures although pictures are needed.
    """
    options = options or ShowOptions()
    run = load_run(path, options.step)
    if not run.config.trains_policy:
        raise UserError(f"The run '{path}' trains no policy: there is nothing to show.")
    played = on_levels(run.config.env, options.levels, options.num_levels)
    levels = level_words(run.config.env, options.levels)
    if options.num_levels:
        levels = f"the first {options.num_levels:,} of {levels}"
    run = replace(run, config=replace(run.config, env=played))
    with ExitStack() as stack:
        env = run.make_env(options.together, render_mode="rgb_array" if options.needs_pictures else None)
        stack.callback(env.close)
        rate = options.rate or env.metadata.get("render_fps") or FRAMES_A_SECOND
        window = None
        if options.window:
            window = PolicyWindow(f"{run.config.env.game}, step {run.step:,}", rate)
            stack.callback(window.close)
        episodes: list[PlayedEpisode] = []
        pictures = _play(run, env, options, window, episodes)
        if options.video is None:
            deque(pictures, maxlen=0)
        else:
            write_video(options.video, pictures, round(rate))
    print_text(_summary(episodes, returns_within(played)) + (f", {levels}" if is_native(played) else ""))
    if options.video is not None:
        print_text(f"Wrote {options.video}.")
    return episodes


def _play(
    run: LoadedRun, env: VectorEnv, options: ShowOptions, window: PolicyWindow | None, episodes: list[PlayedEpisode]
) -> Iterator[np.ndarray]:
    """Play all episodes and append them to `episodes`; yield their pictures, uint8 (H, W, 3), if there are any."""
    streams, count = Streams(options.seed), env.num_envs
    actor = ModelActor(run.parts.model, run.parts.agent, count, streams.key("policy"))
    for index in range(-(-options.episodes // count)):
        actor.reset(streams.key(f"policy {index}"), options.temperature)
        played: list[PlayedEpisode] = []
        for played in play_episodes(env, actor, streams.integer(f"episode {index}"), options.max_steps):
            if options.needs_pictures:
                picture, words = _mosaic(env, played), _words(index * count, played)
                yield np.concatenate([text_line(words, picture.shape[1]), picture])
                if window and not window.show(picture, words):
                    return
        for episode in played[: options.episodes - len(episodes)]:
            episodes.append(episode)
            print_text(f"episode {len(episodes):3}: return {episode.total:9.2f}, {_length(episode)}")


def _words(before: int, played: Sequence[PlayedEpisode]) -> str:
    """Return the text above a picture; `before` episodes were played before these."""
    steps, total = max(episode.steps for episode in played), sum(episode.total for episode in played)
    if len(played) == 1:
        return f"episode {before + 1}, step {steps}, return {total:g}"
    over = sum(episode.ended for episode in played)
    which = f"episodes {before + 1} to {before + len(played)}"
    return f"{which}, step {steps}, {over} over, mean return {total / len(played):.2f}"


def _mosaic(env: VectorEnv, played: Sequence[PlayedEpisode]) -> np.ndarray:
    """Return the pictures of all environments in one, uint8 (H, W, 3): as large as they are, or every k-th pixel where
    that would be wider than `WIDEST`. Those whose episode is over are dark."""
    pictures: Any = env.render() or (None,)
    for picture in pictures:
        if not isinstance(picture, np.ndarray) or picture.ndim != 3 or picture.dtype != np.uint8:
            raise UserError(
                "This environment draws no pictures: its `render` must give an array uint8 (height, width, 3) in the "
                f"mode 'rgb_array'. Received {type(picture).__name__}. Leave out the window and the film to play "
                "without pictures."
            )
    if len(pictures) == 1:
        return np.asarray(pictures[0])
    columns = math.isqrt(len(pictures) - 1) + 1
    step = -(-columns * pictures[0].shape[1] // WIDEST)
    cells = [
        framed(picture[::step, ::step] // (DARK if episode.ended else 1), 1, BACKGROUND)
        for picture, episode in zip(pictures, played, strict=True)
    ]
    return tiled(cells, columns)


def _length(episode: PlayedEpisode) -> str:
    return f"{counted(episode.steps, 'step')}{'' if episode.ended else ', cut'}"


def _summary(episodes: Sequence[PlayedEpisode], within: Span = ANYWHERE) -> str:
    """Return the figures of all episodes in one line."""
    if not episodes:
        return "No episode was played to its end."
    totals = np.array([episode.total for episode in episodes])
    found, steps = estimate(totals, within=within), np.mean([episode.steps for episode in episodes])
    interval = f", 95 % interval {found.low:.2f} to {found.high:.2f}" if len(totals) > 1 else ""
    return (
        f"{counted(len(totals), 'episode')}: mean return {found.mean:.2f}{interval}, "
        f"standard deviation {totals.std():.2f}, lowest {totals.min():.2f}, highest {totals.max():.2f}, "
        f"mean length {steps:.1f} steps"
    )
