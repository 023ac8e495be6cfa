"""Episodes of an evaluation as action files, to be played again in the player or looked at step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worldmodels.envs.config import EnvConfig, game_options
from worldmodels.evaluation.film import EpisodeFilm, FilmFrame
from worldmodels.runtime.action_recording import ActionRecording, RecordedEpisode, frame_hash, kept_hashes


def recordings(film: EpisodeFilm, env: EnvConfig, level_seeds: np.ndarray) -> list[ActionRecording]:
    """One for each episode of a film.

    Everything that happens in a native game follows from the seed of its level and the actions, so an episode is
    written as a game of that one level.

    Args:
        level_seeds: of the episodes.
    """
    games = np.resize(env.games, len(film.episodes))
    options = {**game_options(env), "num_levels": 1}
    return [
        ActionRecording(str(game), {**options, "start_level": int(seed)}, 0, [_episode(moments)])
        for game, seed, moments in zip(games, level_seeds, film.episodes, strict=False)
    ]


def _episode(moments: Sequence[FilmFrame]) -> RecordedEpisode:
    hashes: list[str] = []
    for moment in moments:
        hashes.append(frame_hash(moment.image, hashes[-1] if hashes else ""))
    return RecordedEpisode([moment.action for moment in moments[:-1]], kept_hashes(hashes))
