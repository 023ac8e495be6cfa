"""The numbers of a page, worked by hand from a few returns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from worldmodels.analysis.report.contents import ReportRequest, RunCondition
from worldmodels.analysis.report.page import write_report
from worldmodels.core.errors import UserError

Page = Callable[..., str]


@pytest.fixture
def page(make_run: Callable[..., Path], tmp_path: Path) -> Page:
    """Return a function that makes the page of runs, whose returns it takes by method and game."""

    def make(returns: Mapping[tuple[str, str], Sequence[Sequence[float]]], states: Sequence[str] = (), **more) -> str:
        runs = [
            make_run(method, game, values, seed)
            for (method, game), seeds in returns.items()
            for seed, values in enumerate(seeds)
        ]
        conditions = {run: RunCondition(state) for run, state in zip(runs, states, strict=False)}
        request = ReportRequest([tmp_path / "runs"], tmp_path / "report.html", **more)
        return write_report(request, conditions).read_text()

    return make


def rows(page: str, title: str) -> list[list[str]]:
    """Return the bold numbers of the rows of the first table below a heading."""
    table = page.split(f">{title}<", 1)[1].split("</table>", 1)[0]
    return [re.findall(r"<b>(.*?)</b>", row) for row in table.split("<tr>")[2:]]


def test_statistics_of_one_task(page: Page) -> None:
    """Four runs each: n // 4 = 1 is cut at either end, 3 of 16 pairs are won by ppo and 3 are equal."""
    text = page({("ppo", "maze"): [[1], [2], [3], [6]], ("dqn", "maze"): [[2], [4], [4], [10]]})
    # The interquartile mean, the median, the mean.
    assert rows(text, "Statistics") == [["4.00", "4.00", "5.00"], ["2.50", "2.50", "3.00"]]
    # ppo's 2 equals dqn's 2; its 3 beats 2; its 6 beats 2, 4 and 4: 4.5 of 16. dqn is named first, by the alphabet.
    assert rows(text, "Probability of improvement") == [["72 %"], ["28 %"]]
    assert "Optimality gap" not in text


def test_players_without_learning_have_rows(make_run: Callable[..., Path], tmp_path: Path) -> None:
    """On the published scale 6 is 0.2 and 8 is 0.6, with a mean of 0.4; random play was measured in the maze alone."""
    make_run("ppo", "coinrun", [5], 0, "eval/return", others={"eval/blind_return": 6.0})
    make_run("ppo", "maze", [10], 0, "eval/return", others={"eval/blind_return": 8.0, "eval/random_return": 5.0})
    page = write_report(ReportRequest([tmp_path / "runs"], tmp_path / "report.html"), {}).read_text()
    assert rows(page, "By task") == [["5.00", "10.0"], ["6.00", "8.00"], ["–", "5.00"]]
    assert rows(page, "Over 2 tasks")[1:] == [["0.400", "0.400", "0.400", "0.600"]]
    assert page.count(">blind play</text>") == 3 and page.count(">random play</text>") == 1


def test_statistics_over_tasks_are_on_the_published_scale(page: Page) -> None:
    """CoinRun's easy range is 5 to 10, and so is the maze's."""
    text = page({("ppo", "coinrun"): [[5], [15]], ("ppo", "maze"): [[7.5], [10]]})
    assert rows(text, "By task") == [["10.0", "8.75"]]
    # 0, 2 and 0.5, 1: the middle half is 0.5 and 1; the means of tasks are 1 and 0.75; clipped, 0.5 and 0.75.
    assert rows(text, "Over 2 tasks") == [["0.750", "0.875", "0.875", "0.375"]]
    text = page({}, normalize="none")
    assert rows(text, "Over 2 tasks") == [["8.75", "9.38", "9.38"]]
    assert "on no common scale" in text


def test_finished_runs_count_and_others_are_named(page: Page) -> None:
    text = page({("ppo", "maze"): [[1, 2, 3], [1, 5]]}, ["finished", "unfinished"])
    assert rows(text, "Statistics") == [["3.00", "3.00", "3.00"]]
    assert "1 run not finished and in the curves alone" in text


def test_where_none_is_finished_the_last_common_step_counts(page: Page) -> None:
    text = page({("ppo", "maze"): [[1, 2, 3], [1, 5]]}, ["running", "unfinished"])
    assert "returns are compared at step 20" in text
    assert rows(text, "Statistics") == [["3.50", "3.50", "3.50"]]


def test_returns_are_compared_at_a_step(page: Page) -> None:
    """Records are at the steps 10, 20, 30; between them curves are straight."""
    text = page({("ppo", "maze"): [[1, 2, 3], [1, 5]]}, ["finished", "unfinished"], at=15)
    assert rows(text, "Statistics") == [["2.25", "2.25", "2.25"]]
    text = page({}, at=25)
    assert rows(text, "Statistics") == [["2.50", "2.50", "2.50"]]
    assert "1 run without a record of step 25" in text
    text = page({}, at=40)
    assert "Statistics" not in text and "2 runs without a record of step 40" in text


def test_a_scale_that_lacks_a_game_is_refused(page: Page) -> None:
    with pytest.raises(UserError, match="nothing"):
        page({("ppo", "nothing"): [[1]]}, normalize="range")


def test_runs_that_recorded_nothing_have_a_page_of_their_states(tmp_path: Path) -> None:
    (tmp_path / "grid" / "a").mkdir(parents=True)
    conditions = {tmp_path / "grid" / "a" / f"seed_{seed}": RunCondition("failed", "    why") for seed in range(2)}
    request = ReportRequest([tmp_path / "grid"], tmp_path / "report.html")
    text = write_report(request, conditions).read_text()
    assert "<p>2 runs: 2 failed.</p>" in text and text.count("<pre>    why</pre>") == 2
    assert "No run has recorded anything, so there are no results." in text and "Learning curves" not in text


def test_a_folder_of_failed_runs_does_not_hide_another(page: Page, tmp_path: Path) -> None:
    page({("ppo", "maze"): [[1, 2]]})
    (tmp_path / "bad").mkdir()
    request = ReportRequest([tmp_path / "bad", tmp_path / "runs"], tmp_path / "report.html")
    text = write_report(request, {tmp_path / "bad" / "seed_0": RunCondition("failed")}).read_text()
    assert "<p>2 runs of 1 variant in 1 task: 1 failed, 1 unknown.</p>" in text


def test_a_long_table_of_settings_is_folded(page: Page, tmp_path: Path) -> None:
    text = page({("ppo", "maze"): [[1]], ("dqn", "maze"): [[2]]})
    assert "<details><summary>0 settings that all share" in text and "in which variants differ" not in text
    config = tmp_path / "runs" / "ppo" / "maze_easy_0" / "config.yaml"
    config.write_text(config.read_text() + "".join(f"  key_{i}: {i}\n" for i in range(20)))
    assert "<details><summary>21 settings in which variants differ" in page({})


def test_what_was_measured_of_the_model_alone_is_in_the_table(page: Page, tmp_path: Path) -> None:
    """The newest result of a step counts; figures of training count before those of the same name."""
    page({("flow", "coinrun"): [[1.0]]})
    folder = tmp_path / "runs" / "flow" / "coinrun_easy_0"
    (folder / "eval").mkdir()

    def evaluated(name: str, created: str, **metrics: float) -> None:
        tree = {"created": created, "step": 10, "metrics": {f"eval/{key}": value for key, value in metrics.items()}}
        (folder / "eval" / f"step_00000010_{name}.json").write_text(json.dumps(tree))

    evaluated("model", "2026-02-02", reading_error_at_15=0.75, real_reading_error_at_15=0.25, told_apart_at_1=0.625)
    evaluated("model_2", "2026-01-01", reading_error_at_15=9.0)
    evaluated("model_test", "2026-01-01", reading_error_at_15=1.25)
    evaluated("model_unseen", "2026-03-03", reading_error_at_15=7.0)
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"step": 20, "eval/told_apart_at_1": 0.875}\n')
    made = write_report(ReportRequest([tmp_path / "runs"], tmp_path / "report.html"), {}).read_text()
    assert rows(made, "What the world model foresees") == [["0.875", "0.750"], ["1.25"]]
    assert "Error of places read, cells, 15 ahead" in made and "of real frames 0.25" in made
