"""How much of imagination a turn does, worked by hand."""

import math

import numpy as np
import pytest
from image_spaces import image_replay

from worldmodels.core.config import from_dict
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Step
from worldmodels.evaluation.measures.event_foresight import EventForesight
from worldmodels.replay import ReplayConfig
from worldmodels.runtime.config import EvaluationConfig
from worldmodels.training.imagination_weight import ImaginationWeight, newest_windows


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


@pytest.fixture
def weight(store):
    class Model:
        spec = None

    return ImaginationWeight(Model(), store, EvaluationConfig(context=3, horizon=6), Streams(0).key("weight"))


def test_chance_is_worth_nothing_and_perfection_all(weight):
    assert weight.value == 0
    assert weight._take_in(found(0.55, 10)) == {
        "model/held_out_reward_precision": 0.55,
        "model/held_out_reward_base_rate": 0.1,
    }
    assert weight.value == pytest.approx(0.5)
    weight._skill = -0.1
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
