from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from worldmodels.core.specs import ArraySpec, ObservationSpec
from worldmodels.core.types import Step
from worldmodels.envs import EnvConfig, make
from worldmodels.evaluation.measures.returns import filmed_part
from worldmodels.evaluation.playing.episode_film import EpisodeFilm, FilmFrame
from worldmodels.evaluation.playing.policy_returns import evaluate_policy
from worldmodels.recordings.action_replay import verify_recording


def test_a_film_shows_the_first_episodes_with_their_returns(parts: SimpleNamespace) -> None:
    film = EpisodeFilm(2)
    evaluate_policy(parts.CountingEnv([2, 4, 9]), parts.ConstantActor(3), 5, max_steps=3, seed=0, observer=film)
    first, second = film.episodes
    assert [(moment.step, moment.total, moment.ended) for moment in first] == [
        (0, 0, False),
        (1, 3, False),
        (2, 6, True),
    ]
    # The second episode is cut after three steps, and the next round is not filmed.
    assert [moment.total for moment in second] == [0, 3, 6, 9] and not second[-1].ended
    assert [int(moment.image[0, 0, 0]) for moment in second] == [0, 1, 2, 3]
    frames = list(film.frames())
    assert len(frames) == 4 and frames[0].shape == (192 + 4 + 4 + 20, 2 * (192 + 4 + 4), 3)


def test_of_a_dictionary_one_image_is_filmed() -> None:
    film, no = EpisodeFilm(1, "eye"), np.zeros(2, bool)
    seen = {"touch": np.zeros((2, 3), np.float32), "eye": np.full((2, 4, 4, 1), 9, np.uint8)}
    film(Step(seen, np.zeros(2, np.float32), no, no, no, np.zeros((2, 3), np.float32)), np.zeros(2), np.ones(2, bool))
    assert film.episodes[0][0].image.tolist() == np.full((4, 4, 1), 9).tolist()
    assert next(film.frames()).shape[2] == 3


@pytest.mark.parametrize(
    ("observation", "part"),
    [
        (ObservationSpec.of(64, 64, 3), ""),
        (ObservationSpec.of(4), None),
        (ObservationSpec.of(64, 64, 4), ""),
        (
            ObservationSpec((("a", ArraySpec((8,))), ("b", ArraySpec((2, 2, 2))), ("c", ArraySpec((2, 2, 1))))),
            "c",
        ),
    ],
)
def test_the_first_image_is_filmed_one_in_colour_or_grey_before_others(
    observation: ObservationSpec, part: str | None
) -> None:
    assert filmed_part(observation) == part


def test_filmed_episodes_become_recordings_that_agree_with_the_game() -> None:
    env = make("starpilot", num_levels=5)
    image, info = env.reset(seed=3)
    film = EpisodeFilm(1)
    frames: list[FilmFrame] = []
    for step in range(40):
        action = step % 9
        frames.append(FilmFrame(image.copy(), step, 0.0, False, action))
        image, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break
    film.episodes = [frames]
    (recording,) = film.recordings(EnvConfig(game="starpilot", num_levels=5), np.array([info["level_seed"]]))
    assert recording.options["start_level"] == info["level_seed"] and recording.options["num_levels"] == 1
    assert len(recording.episodes[0].actions) == len(frames) - 1
    verify_recording(recording)
