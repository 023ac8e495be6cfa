from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from worldmodels.evaluation.film import EpisodeFilm
from worldmodels.evaluation.grid import Cell, Setting, grid_metrics, grid_settings
from worldmodels.evaluation.noops import NoopActor
from worldmodels.evaluation.normalisation import RANGES, normalised_return
from worldmodels.evaluation.policy import Episodes, evaluate_policy

from worldmodels.core.seeding import Streams
from worldmodels.runtime.config import EvaluationConfig


def test_each_environment_plays_one_episode_and_every_one_counts(parts: SimpleNamespace) -> None:
    # The environment of two steps could end five episodes while the last one ends its first.
    env = parts.CountingEnv([2, 5, 10])
    played = evaluate_policy(env, parts.ConstantActor(3), episodes=3, max_steps=20, seed=0)
    assert played.returns.tolist() == [6, 15, 30]
    assert played.lengths.tolist() == [2, 5, 10]
    assert played.finished.tolist() == [True, True, True]
    assert played.unfinished == 0
    assert played.estimate()[:2] == (3, 17)


def test_an_episode_that_is_cut_counts_as_unfinished_with_what_it_earned(parts: SimpleNamespace) -> None:
    played = evaluate_policy(parts.CountingEnv([2, 5, 10]), parts.ConstantActor(3), 3, max_steps=5, seed=0)
    assert played.returns.tolist() == [6, 15, 15]
    assert played.lengths.tolist() == [2, 5, 5]
    assert played.finished.tolist() == [True, True, False]
    assert played.unfinished == 1


def test_rounds_are_seeded_anew_and_the_last_one_counts_its_first_environments(parts: SimpleNamespace) -> None:
    env = parts.CountingEnv([2, 5, 10])
    played = evaluate_policy(env, parts.ConstantActor(1), episodes=5, max_steps=20, seed=7)
    assert played.returns.tolist() == [2, 5, 10, 2, 5]
    assert env.seeds == [Streams(7).integer("levels 0"), Streams(7).integer("levels 1")]
    again = parts.CountingEnv([2, 5, 10])
    evaluate_policy(again, parts.ConstantActor(4), episodes=5, max_steps=20, seed=7)
    assert again.seeds == env.seeds


def test_noops_come_first_and_the_actor_learns_of_them(parts: SimpleNamespace) -> None:
    class Script:
        """1, then 3 no-ops to begin with; the draws at later steps do not matter."""

        draws = iter([[1, 3], [9, 9], [9, 9], [9, 2]])

        def integers(self, low: int, high: int, size: int) -> np.ndarray:
            assert (low, high, size) == (1, 4, 2)
            return np.array(next(self.draws))

    inner = parts.ConstantActor(2)
    actor = NoopActor(inner, 3, 4, Script())
    image = np.zeros((2, 2, 2, 3), np.uint8)
    flags = [[True, True], [False, False], [False, False], [False, True]]
    actions = [actor.act(image, np.array(flag)).tolist() for flag in flags]
    assert actions == [[4, 4], [2, 4], [2, 4], [2, 4]]
    assert inner.corrected == actions


def test_returns_with_noops_hold_the_noops_rewards(parts: SimpleNamespace) -> None:
    # Rewards are the actions: with action 3 for no-op and 1 otherwise, the return is the length and 2 for each no-op.
    played = evaluate_policy(
        parts.CountingEnv([10] * 8), parts.ConstantActor(1), 8, max_steps=20, seed=0, noops=4, noop_action=3
    )
    counts = (played.returns - 10) / 2
    assert counts.min() >= 1 and counts.max() <= 4 and len(set(counts)) > 1


@pytest.mark.parametrize(
    ("game", "mode", "value", "expected"),
    [("coinrun", "easy", 7.5, 0.5), ("starpilot", "hard", 35, 1.0), ("fruitbot", "easy", -1.5, 0.0)],
)
def test_returns_on_the_common_scale(game: str, mode: str, value: float, expected: float) -> None:
    assert normalised_return(game, mode, value) == expected


def test_what_has_no_published_range_has_no_normalised_return() -> None:
    assert normalised_return("coinrun", "memory", 5) is None
    assert normalised_return("coinrun_platforms", "easy", 5) is None
    assert {mode: len(games) for mode, games in RANGES.items()} == {"easy": 16, "hard": 16}


def test_clipped_returns_clip_each_reward_before_they_are_summed(parts: SimpleNamespace) -> None:
    class Scripted(parts.CountingEnv):
        """Pays 3, -2, 0.5 and then nothing."""

        def step(self, action: np.ndarray) -> tuple:
            images, _, *rest = super().step(action)
            paid = np.array([0, 3, -2, 0.5, 0, 0, 0], np.float32)
            return images, paid[self.t], *rest

    played = evaluate_policy(Scripted([1, 2, 5]), parts.ConstantActor(0), episodes=3, max_steps=20, seed=0)
    assert played.returns.tolist() == [3, 1, 1.5]
    assert played.clipped_returns.tolist() == [1, 0, 0.5]
    assert played.clipped_estimate().mean == 0.5


def test_the_grid_has_a_cell_for_each_setting() -> None:
    config = EvaluationConfig(temperatures=(0.5, 0.0), noops=(8, 0), model_temperatures=(1.0, 0.25))
    names = [setting.name for setting in grid_settings(config)]
    assert names == ["t0.5_noops8", "t0_noops8", "t0.5_noops0", "t0_noops0"]
    planned = [setting.name for setting in grid_settings(config, plans=True)]
    assert planned[:2] == ["t0.5_model1_noops8", "t0.5_model0.25_noops8"] and len(planned) == 8
    assert [setting.name for setting in grid_settings(config, samples=False)] == ["t1_noops8", "t1_noops0"]


def test_the_first_cell_is_the_headline_and_each_has_its_name() -> None:
    def episodes(returns: list[float]) -> Episodes:
        values = np.array(returns)
        return Episodes(values, np.clip(values, -1, 1), np.full(2, 7), np.array([True, False]))

    random = episodes([0, 1])
    cells = [Cell(Setting(0.5, 8), episodes([2, 4]), random), Cell(Setting(0, 0), episodes([6, 6]), random)]
    assert grid_metrics(cells, ["coinrun"]) == {
        "eval/return": 3,
        "eval/return_standard_error": 1,
        "eval/return_clipped": 1,
        "eval/random_return": 0.5,
        "eval/length": 7,
        "eval/unfinished": 1,
        "eval/return_t0.5_noops8": 3,
        "eval/return_t0.5_noops8_clipped": 1,
        "eval/return_t0_noops0": 6,
        "eval/return_t0_noops0_clipped": 1,
    }
    alone = grid_metrics(cells[:1], ["coinrun"], "planner")
    assert alone["eval/planner_return"] == 3 and len(alone) == 6


def test_a_film_shows_the_first_episodes_with_their_returns(parts: SimpleNamespace) -> None:
    film = EpisodeFilm(2)
    evaluate_policy(parts.CountingEnv([2, 4, 9]), parts.ConstantActor(3), 5, max_steps=3, seed=0, watch=film)
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
