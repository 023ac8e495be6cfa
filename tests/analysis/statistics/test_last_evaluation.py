from __future__ import annotations

import math

import pytest

from worldmodels.analysis.statistics.last_evaluation import EvaluatedValue, last_evaluation, over_chance, over_copying
from worldmodels.core.errors import RunError

RETURN = EvaluatedValue("Return", ("eval/return",))


def test_what_was_recorded_last_counts(make_level_run) -> None:
    run = make_level_run("ppo", 10, 0, {"eval/return": 3.0, "eval/known": 0.5, "eval/test_return": 2.0})
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"step": 200, "eval/return": 7.5, "eval/test_return": 5.0}\n{"step": 210, "episode/return": 9.0}\n')
    found = last_evaluation(run)
    assert found == (10.0, 200, {"eval/return": 7.5, "eval/test_return": 5.0})
    assert found.measure(RETURN) == (7.5, 5.0)
    assert _unknown(found.measure(EvaluatedValue("Known", ("eval/known",))))


def test_without_limit_one_number_is_both(make_level_run) -> None:
    found = last_evaluation(make_level_run("ppo", 0, 0, {"eval/return": 3.0}))
    assert found.levels == math.inf
    assert found.measure(RETURN) == (3.0, 3.0)


def test_a_measure_is_made_of_several_values(make_level_run) -> None:
    values = {"eval/image_error_at_15": 2.0, "eval/copy_image_error_at_15": 4.0}
    tested = {name.replace("eval/", "eval/test_"): 3 * value for name, value in values.items()} | {
        "eval/test_copy_image_error_at_15": 8.0
    }
    found = last_evaluation(make_level_run("ppo", 5, 0, values | tested))
    assert found.measure(EvaluatedValue("Image", tuple(values), over_copying)) == (0.5, 0.75)


def test_scales() -> None:
    assert over_chance(0.6, 0.2) == pytest.approx(0.5)  # half of the way from 0.2 to 1
    assert over_chance(0.2, 0.2) == 0
    assert math.isnan(over_chance(1.0, 1.0))
    assert math.isnan(over_copying(0.1, 0.0))


def test_a_run_that_does_not_tell_its_levels_is_refused(make_level_run) -> None:
    run = make_level_run("ppo", 5, 0, {"eval/return": 1.0})
    (run / "config.yaml").write_text("seed: 0\n")
    with pytest.raises(RunError, match=r"training levels of '.*' is not known: its config.yaml has no env.num_levels"):
        last_evaluation(run)


def _unknown(pair: tuple[float, float]) -> bool:
    return all(map(math.isnan, pair))
