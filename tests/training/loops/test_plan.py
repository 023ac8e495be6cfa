"""What a run has to do, worked by hand."""

import pytest

from worldmodels.config.training_config import ModelBasedConfig
from worldmodels.training.loops.plan import Position, TrainingPlan


def phases(plan, turns):
    """(turn, phase, amount) of the first turns."""
    position, found = plan.start(0), []
    while position.turn < turns:
        found.append(tuple(position)[:3])
        position = plan.after(position, position.left)
    return found


def test_dreamer_collects_fits_and_improves_once_a_turn():
    plan = TrainingPlan(ModelBasedConfig(steps=64, prefill=32, collect=16, pretrain=3), num_envs=16)
    assert phases(plan, 2) == [
        (0, "collect", 2), (0, "fit", 4), (0, "improve", 1),
        (1, "collect", 1), (1, "fit", 1), (1, "improve", 1),
    ]  # fmt: skip
    assert plan.turns() == 3  # 32 steps, 48, 64
    assert plan.remaining(plan.start(0)) == {"collect": 4, "fit": 6, "improve": 3}
    assert plan.remaining(Position(1, "fit", 1)) == {"collect": 1, "fit": 2, "improve": 2}


def test_simple_has_long_phases_with_factors():
    config = ModelBasedConfig(steps=96_000, prefill=6400, collect=6400, fit=15_000, fit_factors=(3,), improve=1000)
    plan = TrainingPlan(config, num_envs=16)
    assert plan.turns() == 15
    assert phases(plan, 3) == [
        (0, "collect", 400), (0, "fit", 45_000), (0, "improve", 1000),
        (1, "collect", 400), (1, "fit", 15_000), (1, "improve", 1000),
        (2, "collect", 400), (2, "fit", 15_000), (2, "improve", 1000),
    ]  # fmt: skip
    # 45k + 14 x 15k updates; 15 x 1000 policy updates.
    assert plan.remaining(plan.start(0)) == {"collect": 6000, "fit": 255_000, "improve": 15_000}


def test_a_position_in_words():
    plan = TrainingPlan(ModelBasedConfig(steps=96_000, prefill=6400, collect=6400, fit=15_000, improve=50), num_envs=16)
    assert plan.describe(Position(0, "collect", 384)) == "turn 1 of 15 · collect 256 of 6,400"
    assert plan.describe(Position(14, "fit", 3_000)) == "turn 15 of 15 · fit 12,000 of 15,000"
    assert plan.describe(Position(0, "improve", 40)) == plan.describe(Position(15, "collect", 400)) == ""


def test_part_of_a_phase():
    plan = TrainingPlan(ModelBasedConfig(prefill=100, collect=100, fit=10), num_envs=4)
    assert plan.after(Position(0, "collect", 25), 16) == Position(0, "collect", 9)
    assert plan.after(Position(0, "collect", 9), 9) == Position(0, "fit", 10)


@pytest.mark.parametrize(("prefill", "expected"), [(1, 8), (32, 8), (33, 16), (100, 32)])
def test_the_prefill_is_rounded_up_to_whole_pieces(prefill, expected):
    assert TrainingPlan(ModelBasedConfig(prefill=prefill, collect=32), num_envs=4).amount(0, "collect") == expected


def test_the_next_turn_is_expected_once_the_policy_has_learned():
    plan = TrainingPlan(ModelBasedConfig(steps=64, prefill=32, collect=16), num_envs=4)
    # The prefill of 32 steps, and two turns of 16.
    assert [plan.expected(Position(turn, "fit", 1)) for turn in range(3)] == [0, 4, 0]


def test_turns_count_where_nothing_is_collected():
    plan = TrainingPlan(ModelBasedConfig(collect=0, prefill=40, turns=2, fit=5, improve=0), num_envs=4)
    assert phases(plan, 2) == [(0, "collect", 10), (0, "fit", 5), (1, "fit", 5)]
    assert plan.turns() == 2


def test_a_recording_stands_in_place_of_the_prefill():
    plan = TrainingPlan(ModelBasedConfig(collect=16, prefill=40, initial_replay="runs/other", steps=32), num_envs=4)
    assert phases(plan, 2) == [
        (0, "fit", 1), (0, "improve", 1), (1, "collect", 4), (1, "fit", 1), (1, "improve", 1)
    ]  # fmt: skip
    assert plan.turns() == 3  # at 0, 16 and 32 steps


def test_a_factor_of_zero_leaves_a_phase_out():
    plan = TrainingPlan(ModelBasedConfig(prefill=16, collect=16, fit=3, fit_factors=(0, 0.5)), num_envs=16)
    assert [amount for _, phase, amount in phases(plan, 3) if phase == "fit"] == [2, 3]


def searching(**changes):
    settings = {"steps": 320, "prefill": 33, "collect": 32, "prefill_events": 5} | changes
    return TrainingPlan(ModelBasedConfig(**settings), num_envs=16)


def test_a_prefill_that_lacks_events_goes_on_in_pieces_up_to_its_limit():
    plan = searching()
    position, places = plan.start(0), []
    while position.phase == "collect":
        places.append(position)
        position = plan.after(position, position.left, prolong=True)
    # 33 steps are two pieces of 32; a third and a fourth are 128 steps, and a fifth would be beyond 4 x 33 = 132.
    assert places == [Position(0, "collect", 4), Position(0, "collect", 2, 2), Position(0, "collect", 2, 4)]
    assert position == Position(0, "fit", 1, 4)
    assert plan.after(Position(0, "collect", 2, 2), 1, prolong=True) == Position(0, "collect", 1, 2)
    assert plan.after(Position(0, "collect", 2, 2), 2) == Position(0, "fit", 1, 2)
    assert plan.after(Position(1, "collect", 2, 2), 2, prolong=True) == Position(1, "fit", 1, 2)
    assert plan.after(Position(0, "fit", 1, 2), 1, prolong=True) == Position(0, "improve", 1, 2)


def test_a_run_has_fewer_turns_the_longer_its_prefill():
    plan = searching()
    assert (plan.turns(), plan.turns(2), plan.turns(4)) == (9, 8, 7)  # 64 + 8 x 32 = 96 + 7 x 32 = 320
    assert plan.remaining(plan.start(0)) == {"collect": 20, "fit": 9, "improve": 9}
    assert plan.remaining(Position(0, "collect", 2, 4)) == {"collect": 14, "fit": 7, "improve": 7}
    assert plan.remaining(Position(6, "improve", 1, 4)) == {"collect": 0, "fit": 0, "improve": 1}
    assert plan.start(0, 4) == Position(0, "collect", 8, 4)  # and so not the beginning of a piece


def test_a_prolonged_prefill_in_words():
    config = ModelBasedConfig(steps=96_000, prefill=6400, collect=6400, prefill_events=5)
    plan = TrainingPlan(config, num_envs=16)
    assert plan.describe(Position(0, "collect", 384, 400)) == "turn 1 of 14 · collect 6,656 of 12,800"


@pytest.mark.parametrize(
    ("changes", "limit"),
    [({}, 192), ({"steps": 100}, 100), ({"prefill_events": 0}, 48)],
)
def test_the_limit_of_a_prefill(changes, limit):
    settings = {"steps": 320, "prefill": 48, "prefill_events": 5} | changes
    assert ModelBasedConfig(**settings).prefill_limit == limit


def test_where_nothing_more_is_collected_a_prefill_goes_on_step_by_step():
    plan = searching(collect=0, turns=1)
    assert plan.after(Position(0, "collect", 3), 3, prolong=True) == Position(0, "collect", 1, 1)
    assert plan.after(Position(0, "collect", 1, 5), 1, prolong=True) == Position(0, "fit", 1, 5)  # 3 + 5 are 128 steps
