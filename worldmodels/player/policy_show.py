"""Show or film how a run's policy plays in its environment, whatever that is, and print what each episode paid."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from worldmodels.analysis.aggregate import estimate
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.seeding import Streams
from worldmodels.envs import VectorEnv
from worldmodels.evaluation.played_episodes import PlayedEpisode, play_episode
from worldmodels.evaluation.report.images import text_line
from worldmodels.player.view.policy_window import PolicyWindow
from worldmodels.runtime.actor import ModelActor
from worldmodels.runtime.load import LoadedRun, load_run
from worldmodels.telemetry.video import write_video

FRAMES_A_SECOND = 30
"""The rate of pictures where an environment names none."""


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
    """Whether a window shows them."""
    rate: float | None = None
    """Pictures a second, of window and film; by default those that the environment names."""

    @property
    def needs_pictures(self) -> bool:
        """Return whether anybody looks."""
        return self.window or self.video is not None

    def __post_init__(self) -> None:
        for name, value, low in (("episodes", self.episodes, 1), ("max_steps", self.max_steps, 1)):
            if value < low:
                raise ConfigError(f"The option '{name}' must be at least {low}. Received {value}.")
        if not 0.0 <= self.temperature <= 10.0:
            raise ConfigError(f"The policy's temperature must be from 0 to 10. Received {self.temperature}.")
        if self.rate is not None and not 1 <= self.rate <= 240:
            raise ConfigError(f"The rate must be from 1 to 240 pictures a second. Received {self.rate}.")


def show_policy(path: str | Path, options: ShowOptions | None = None) -> list[PlayedEpisode]:
    """Let the policy of a run play, print what each episode paid, and return them; fewer where the window was closed.

    Raises:
        UserError: no such run or checkpoint, a run that trains no policy, no display, or an environment that draws no
            pictures where some are wanted.
    """
    options = options or ShowOptions()
    run = load_run(path, options.step)
    if not run.config.trains_policy:
        raise UserError(f"The run '{path}' trains no policy: there is nothing to show.")
    with ExitStack() as stack:
        env = run.make_env(render_mode="rgb_array" if options.needs_pictures else None)
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
    print(_summary(episodes))
    if options.video is not None:
        print(f"Wrote {options.video}.")
    return episodes


def _play(
    run: LoadedRun, env: VectorEnv, options: ShowOptions, window: PolicyWindow | None, episodes: list[PlayedEpisode]
) -> Iterator[np.ndarray]:
    """Play all episodes; yield their pictures, uint8 (H, W, 3), if there are any, and add what was played."""
    streams = Streams(options.seed)
    actor = ModelActor(run.parts.model, run.parts.agent, 1, streams.key("policy"))
    for index in range(options.episodes):
        actor.reset(streams.key(f"policy {index}"), options.temperature)
        for episode in play_episode(env, actor, streams.integer(f"episode {index}"), options.max_steps):
            if options.needs_pictures:
                picture, words = _picture(env), f"episode {index + 1}, step {episode.steps}, return {episode.total:g}"
                yield np.concatenate([text_line(words, picture.shape[1]), picture])
                if window and not window.show(picture, words):
                    return
        episodes.append(episode)
        print(f"episode {index + 1:3}: return {episode.total:9.2f}, {_length(episode)}")


def _picture(env: VectorEnv) -> np.ndarray:
    """Return the picture of the only environment, uint8 (H, W, 3)."""
    (picture,) = env.render() or (None,)
    if not isinstance(picture, np.ndarray) or picture.ndim != 3 or picture.dtype != np.uint8:
        raise UserError(
            "This environment draws no pictures: its `render` must give an array uint8 (height, width, 3) in the mode "
            f"'rgb_array'. Received {type(picture).__name__}. Leave the window and the film out to play without them."
        )
    return picture


def _length(episode: PlayedEpisode) -> str:
    return f"{episode.steps} steps{'' if episode.ended else ', cut'}"


def _summary(episodes: Sequence[PlayedEpisode]) -> str:
    """Return the figures of all episodes in one line."""
    if not episodes:
        return "No episode was played to its end."
    totals = np.array([episode.total for episode in episodes])
    found, steps = estimate(totals), np.mean([episode.steps for episode in episodes])
    interval = f", 95 % interval {found.low:.2f} to {found.high:.2f}" if len(totals) > 1 else ""
    return (
        f"{len(totals)} episodes: mean return {found.mean:.2f}{interval}, standard deviation {totals.std():.2f}, "
        f"lowest {totals.min():.2f}, highest {totals.max():.2f}, mean length {steps:.1f} steps"
    )
