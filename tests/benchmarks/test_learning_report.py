"""The report of hand-made results: 2 games, 2 seeds, returns that are easy to work out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import learning
import pytest
from archive import Archive
from few_steps.cell_jobs import Place
from few_steps.cells import Experiment, Learner
from few_steps.figures import experiment_figures
from few_steps.report import report
from PIL import Image

TINY = Experiment(
    "few",
    800,
    ("coinrun", "ninja"),
    (1, 2),
    {},
    {"ppo": Learner("PPO", "ppo", {}), "dreamer": Learner("Dreamer", "dreamer_small", {})},
    {},
)
FORESIGHT = {
    "reward_average_precision": 0.5,
    "reward_base_rate": 0.125,
    "reward_ratio": 0.75,
    "end_average_precision": None,
    "end_base_rate": 0.0,
    "end_ratio": None,
    "image_error": 0.01,
    "copy_image_error": 0.04,
}


def result(game: str, learner: str, seed: int, train: float, test: float) -> dict[str, Any]:
    """A result with these normalised returns: 0 and 1 are 5 and 10 in CoinRun, 3.5 and 10 in Ninja."""
    low, size = {"coinrun": (5, 5), "ninja": (3.5, 6.5)}[game]
    levels = {"train": (train, -0.5), "test": (test, -0.25)}
    return {
        "experiment": "few",
        "game": game,
        "learner": learner,
        "seed": seed,
        "processor": "Abacus (beads)",
        "made_by": {"last_changed_at": "abc1234"},
        "wall_seconds": 60.0 * seed,
        "processor_seconds": 30.0 * seed,
        "step": 800,
        "returns": {
            name: {
                player: {"mean": low + size * value} for player, value in zip(("policy", "random"), both, strict=True)
            }
            for name, both in levels.items()
        },
        "model": {**FORESIGHT, "end_base_rate": seed / 4} if learner == "dreamer" else None,
    }


RESULTS = [
    result("coinrun", "ppo", 1, 0.0, 0.5),
    result("coinrun", "ppo", 2, 0.2, 0.5),
    result("ninja", "ppo", 1, 0.4, 0.5),
    result("ninja", "ppo", 2, 0.6, 0.5),
    result("coinrun", "dreamer", 1, 0.4, 0.25),
    result("coinrun", "dreamer", 2, 0.6, 0.75),
    result("ninja", "dreamer", 1, 0.3, 1.0),
    result("ninja", "dreamer", 2, 0.5, 1.0),
]


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    return experiment_figures(TINY, RESULTS)


def test_the_interquartile_mean_over_games_and_seeds(figures: dict[str, Any]) -> None:
    ppo, dreamer = figures["learners"]
    # PPO: 0, 0.2, 0.4, 0.6 of which the middle two count; Dreamer: 0.3, 0.4, 0.5, 0.6.
    assert ppo["interquartile_mean"]["train"]["value"] == pytest.approx(0.3)
    assert dreamer["interquartile_mean"]["train"]["value"] == pytest.approx(0.45)
    assert ppo["interquartile_mean"]["test"] == pytest.approx({"value": 0.5, "low": 0.5, "high": 0.5})
    # Games are drawn apart: with PPO's best runs alone 0.2, 0.2, 0.6, 0.6.
    assert ppo["interquartile_mean"]["train"]["high"] == pytest.approx(0.4)
    assert dreamer["random_interquartile_mean"] == pytest.approx({"train": -0.5, "test": -0.25})
    assert (ppo["compared_runs"], ppo["compared_games"]) == (4, 2)


def test_the_pair(figures: dict[str, Any]) -> None:
    (pair,) = figures["pairs"]
    assert (pair["learner"], pair["baseline"], pair["runs"], pair["games"]) == ("dreamer", "ppo", 4, 2)
    train, test = pair["levels"]["train"], pair["levels"]["test"]
    assert train["difference"]["value"] == pytest.approx(0.15)
    assert train["difference"]["low"] < 0.15 < train["difference"]["high"]
    # CoinRun: 4 of 4 pairs. Ninja: of 0.3 and 0.5 against 0.4 and 0.6 only 0.5 beats 0.4.
    assert train["probability_of_improvement"]["value"] == (1 + 1 / 4) / 2
    assert (train["games_higher"], test["games_higher"]) == (1, 1)  # a tie is not higher


def test_times_are_means_over_runs(figures: dict[str, Any]) -> None:
    ppo = figures["learners"][0]
    assert (ppo["wall_minutes"]["mean"], ppo["processor_minutes"]["mean"]) == (1.5, 0.75)
    assert (ppo["runs"], ppo["steps"]) == (4, [800])


def test_each_game_has_students_interval_over_its_seeds(figures: dict[str, Any]) -> None:
    row = figures["games"][0]
    assert (row["game"], row["learner"], row["seeds"]) == ("coinrun", "ppo", [1, 2])
    found = row["levels"]["train"]
    assert found["returns"] == [5, 6] and found["random"] == 2.5
    # The standard error is 0.5, and t with one degree of freedom 12.7062.
    assert found["mean"]["high"] == pytest.approx(5.5 + 12.7062 / 2, abs=1e-4)
    assert found["normalised"]["mean"] == pytest.approx(0.1)


def test_foresight_is_a_mean_of_what_is_known(figures: dict[str, Any]) -> None:
    row = figures["foresight"][0]
    assert (row["game"], row["learner"], row["runs"]) == ("coinrun", "dreamer", 2)
    assert (row["reward_ratio"], row["end_base_rate"], row["end_ratio"]) == (0.75, 0.375, None)


def test_the_text(figures: dict[str, Any]) -> None:
    text = report("# Title", [figures])
    lines = text.splitlines()
    assert lines[:5] == [
        "# Title",
        "",
        "## `few`: 800 real steps",
        "",
        "On Abacus (beads). Last changed at commit abc1234.",
    ]
    scale = "0 is a policy that sees nothing, 1 the practical best; n counts runs, one for each seed and game."
    assert f"Over all games (CoinRun, Ninja): interquartile means. {scale}" in lines
    assert sum(line.endswith(scale) for line in lines) == 3
    ppo = "| PPO | 4 in 2 games | 0.300 (0.200 to 0.400) | - | 0.500 (0.500 to 0.500) | - | 800 | 1.5 | 0.8 |"
    assert ppo in lines
    (dreamer,) = (line for line in lines if line.startswith("| Dreamer | 4 in 2 games | 0.450 ("))
    assert dreamer.split(" | ")[3].startswith("0.62 (")
    assert "| random policy | - | -0.500 | - | -0.250 | - | 0 | - | - |" in lines
    (pair,) = (line for line in lines if line.startswith("| Dreamer minus PPO | 4 | training levels | 0.450 ("))
    assert pair.endswith("| 1 of 2 |") and "| 0.62 (" in pair and "| +0.150 (" in pair
    assert pair.split(" | ")[4] == "0.300 (0.200 to 0.400)" and pair.split(" | ")[5] == "-0.500"
    # Student's t with one degree of freedom is 12.7062; the standard error of 0 and 0.2 is 0.1.
    game = "| CoinRun | PPO | training levels | 2 | 0.100 (-1.171 to 1.371) | -0.500 | 5.50 (-0.85 to 11.85) | 2.50 |"
    assert f"{game} 5.00, 6.00 |" in lines
    assert "| CoinRun | Dreamer | 0.50 (0.12) | 0.75 | - (0.38) | - | 0.25 |" in lines


def test_only_what_a_learner_and_the_baseline_have_finished_is_compared() -> None:
    without = [r for r in RESULTS if (r["game"], r["learner"], r["seed"]) != ("ninja", "dreamer", 2)]
    figures = experiment_figures(TINY, without)
    ppo, dreamer = figures["learners"]
    assert (ppo["compared_runs"], dreamer["compared_runs"], figures["pairs"][0]["runs"]) == (4, 3, 3)
    # Of three values none is left out: 0.4, 0.6, 0.3 and PPO's 0, 0.2, 0.4. PPO's 0.6 counts for itself alone.
    assert ppo["interquartile_mean"]["train"]["value"] == pytest.approx(0.3)
    assert figures["pairs"][0]["levels"]["train"]["difference"]["value"] == pytest.approx(1.3 / 3 - 0.2)
    assert [row["seeds"] for row in figures["games"]] == [[1, 2], [1, 2], [1, 2], [1]]


def test_a_learner_that_has_begun_takes_no_runs_from_another() -> None:
    learners = {**TINY.learners, "simple": Learner("SimPLe", "simple_small", {})}
    begun = [*RESULTS, result("coinrun", "simple", 1, 0.5, 0.5)]
    figures = experiment_figures(TINY._replace(learners=learners), begun)
    assert [(pair["learner"], pair["runs"], pair["games"]) for pair in figures["pairs"]] == [
        ("dreamer", 4, 2),
        ("simple", 1, 1),
    ]


def test_a_learner_is_compared_with_its_controls_too() -> None:
    learners = {
        **TINY.learners,
        "dreamer": TINY.learners["dreamer"]._replace(controls=("awake", "asleep")),
        "awake": Learner("Awake", "dreamer_small", {}),
        "asleep": Learner("Asleep", "dreamer_small", {}),
    }
    awake = [result("coinrun", "awake", 1, 0.25, 0.5), result("ninja", "awake", 2, 0.75, 0.5)]
    asleep = result("ninja", "asleep", 1, 0.1, 0.5)
    figures = experiment_figures(TINY._replace(learners=learners), [*RESULTS, *awake, asleep])
    pairs = {(pair["learner"], pair["baseline"]): pair for pair in figures["pairs"]}
    assert list(pairs) == [
        ("dreamer", "ppo"),
        ("dreamer", "awake"),
        ("dreamer", "asleep"),
        ("awake", "ppo"),
        ("asleep", "ppo"),
    ]
    # On the two runs that both have: 0.4 and 0.5 less 0.25 and 0.75.
    apart = pairs["dreamer", "awake"]
    assert (apart["runs"], apart["games"]) == (2, 2)
    assert apart["levels"]["train"]["difference"]["value"] == pytest.approx(0.45 - 0.5)
    # Ninja's first seed: 0.3 less 0.1.
    apart = pairs["dreamer", "asleep"]
    assert (apart["runs"], apart["games"]) == (1, 1)
    assert apart["levels"]["train"]["difference"]["value"] == pytest.approx(0.2)


@pytest.mark.parametrize("results", [RESULTS[:1], [RESULTS[0], RESULTS[-1]], RESULTS[4:]])
def test_few_results_make_a_report_too(results: list[dict[str, Any]], tmp_path: Path) -> None:
    place = write_results(results, tmp_path)
    learning.write_report([TINY], place, tmp_path / "learning")
    (tree,) = json.loads((tmp_path / "learning.json").read_text())
    assert sum(row["runs"] for row in tree["learners"]) == len(results)
    assert "nan" not in (tmp_path / "learning.md").read_text().lower()


def test_the_files(tmp_path: Path) -> None:
    learning.write_report([TINY], write_results(RESULTS, tmp_path), tmp_path / "learning")
    assert (tmp_path / "learning.md").read_text().startswith("# Learning from few steps\n")
    with Image.open(tmp_path / "learning.png") as image:
        assert image.size == (1950, 570)
        assert len(image.convert("RGB").getcolors(1 << 24) or []) > 50


def test_without_results_nothing_is_written(tmp_path: Path) -> None:
    learning.write_report([TINY], Place(tmp_path / "runs", Archive(tmp_path / "results.jsonl")), tmp_path / "learning")
    assert not list(tmp_path.iterdir())


def write_results(results: list[dict[str, Any]], folder: Path) -> Place:
    place = Place(folder / "runs", Archive(folder / "results.jsonl"))
    for one in TINY.cells():
        for found in results:
            if (found["game"], found["learner"], found["seed"]) == (one.game, one.learner, one.seed):
                place.results.keep(one.name, {**found, "settings": one.settings})
    return place
