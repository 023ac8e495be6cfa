"""How much of imagination a turn does, worked by hand."""

import math

import numpy as np
import pytest
from image_spaces import image_replay

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Step
from worldmodels.evaluation.predictions.event_foresight import EventForesight
from worldmodels.replay import ReplayConfig
from worldmodels.training.loops.imagination_weight import ImaginationWeight, newest_windows


def found(precision, rewarded, starts=100):
    nothing = (math.nan, 0.0, math.nan)
    return EventForesight(starts, precision, rewarded / starts, 1.0, *nothing, *nothing)


@pytest.fixture
def store(tmp_path):
    """Two streams of 40 steps, whose rewards are their numbers and negative in the second."""
    config = from_dict(ReplayConfig, {"capacity_steps": 1000})
    replay = image_replay(tmp_path / "replay", 2, (64, 64, 3), config)
    for t in range(40):
        flags = np.zeros((3, 2), bool)
        replay.append(Step(np.zeros((2, 64, 64, 3), np.uint8), np.array([t, -t], np.float32), *flags, np.zeros(2, int)))
    return replay


class Model:
    spec = None


def make(store, by_ends=False):
    return ImaginationWeight(Model(), store, EvaluationConfig(context=3, horizon=6), Streams(0).key("weight"), by_ends)


@pytest.fixture
def weight(store):
    return make(store)


def test_chance_is_worth_nothing_and_perfection_all(weight):
    assert weight.value == 0
    assert weight._take_in(found(0.55, 10)) == {
        "model/held_out_reward_precision": 0.55,
        "model/held_out_reward_base_rate": 0.1,
    }
    assert weight.value == pytest.approx(0.5)
    weight._rewards.value = -0.1
    assert weight.value == 0


def test_few_rewards_count_little_and_many_forget_the_past(weight):
    weight._take_in(found(0.55, 10))  # 0.5 of 10
    weight._take_in(found(1.0, 2))  # 1 of 2
    assert weight.value == pytest.approx((10 * 0.5 + 2 * 1) / 12)
    assert weight._take_in(found(math.nan, 0)) == {} == weight._take_in(found(1.0, 100))
    before = weight.value
    weight._take_in(found(1.0, 20))  # 20 of the last 30
    assert weight.value == pytest.approx(before / 3 + 2 / 3)
    weight._take_in(found(0.4, 40))
    assert weight.value == pytest.approx(0)


def deaths(precision, ended, starts=100, reward_precision=0.55):
    """Rewards after a tenth of the starts, and deaths after so many of the rest."""
    unrewarded = 0.9 * starts
    ends = (math.nan, 0.0, math.nan, precision, ended / unrewarded, math.nan)
    return EventForesight(starts, reward_precision, 0.1, 1.0, *ends)


def test_deaths_limit_the_weight_once_some_were_met(store):
    weight = make(store, by_ends=True)
    assert weight.value == 0
    weight._take_in(deaths(math.nan, 0))
    assert weight.value == pytest.approx(0.5)
    metrics = weight._take_in(deaths(0.2, 9))
    assert metrics["model/held_out_unrewarded_end_precision"] == 0.2
    assert metrics["model/held_out_unrewarded_end_base_rate"] == pytest.approx(0.1)
    assert weight.value == pytest.approx((0.2 - 0.1) / 0.9)
    weight._take_in(deaths(1.0, 30))  # a memory's worth: what was before is forgotten
    assert weight.value == pytest.approx(0.5)
    restored = make(store, by_ends=True)
    restored.load(weight.save())
    assert restored.save() == weight.save() and restored.value == weight.value


def test_deaths_do_not_count_unless_asked(weight):
    weight._take_in(deaths(0.1, 9))
    assert weight.value == pytest.approx(0.5)


def test_a_weight_that_was_saved_goes_on(weight, store):
    weight._take_in(found(0.55, 10))
    saved = weight.save()
    weight._take_in(found(1.0, 5))
    expected = weight.value
    weight.load(saved)
    weight._take_in(found(1.0, 5))
    assert weight.value == expected


def test_windows_lie_side_by_side_on_the_newest_steps(store):
    windows = newest_windows(store, 20, context=3, horizon=6)
    # Of steps 20 to 39: six after three, and the next six after the three before them.
    starts = [20, -20, 26, -26]
    assert windows.reward[:, 0].tolist() == starts
    assert windows.reward.shape == (4, 9)
    assert windows.reward[2].tolist() == list(range(26, 35))
