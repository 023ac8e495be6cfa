from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from worldmodels.analysis.runs.folders import read_settings
from worldmodels.analysis.runs.groups import (
    RunGroup,
    folder_name,
    group_by_path,
    group_names,
    group_runs,
    short_paths,
    telling_keys,
)
from worldmodels.core.errors import UserError


def make(folder: Path, seed: int, entropy: float = 0.01, more: str = "") -> Path:
    folder.mkdir(parents=True)
    text = f"seed: {seed}\nenv:\n  game: maze\nagent:\n  kind: ppo\n  entropy: {entropy}\n{more}"
    (folder / "config.yaml").write_text(text)
    return folder


def test_a_configuration_is_read_as_texts_by_full_key(tmp_path: Path) -> None:
    more = "training:\n  lists: [1.0, 2]\n  rate: 1e-5\n  steps: 1000.0\n  on: true\n"
    more += "  path: null\n  name: ''\n  none: {}\n"
    assert read_settings(make(tmp_path / "a", 3, more=more)) == {
        "seed": "3",
        "env.game": "maze",
        "agent.kind": "ppo",
        "agent.entropy": "0.01",
        "training.lists": "[1.0, 2]",
        "training.rate": "1e-05",
        "training.steps": "1000",
        "training.on": "true",
        "training.path": "null",
        "training.name": "",
        "training.none": "{}",
    }


def test_runs_that_differ_in_their_seed_alone_are_a_group(tmp_path: Path) -> None:
    a, b = make(tmp_path / "a_0", 0, 0.1), make(tmp_path / "a_1", 1, 0.1)
    c, d = make(tmp_path / "b_0", 0, 0.01), make(tmp_path / "b_1", 1, 0.01)
    assert group_runs([a, c, b, d]) == [
        RunGroup("agent.entropy=0.1", [a, b]),
        RunGroup("agent.entropy=0.01", [c, d]),
    ]
    assert group_runs([a, b]) == [RunGroup("a", [a, b])]
    assert group_runs([a, d, c], each=True) == [
        RunGroup("agent.entropy=0.1, seed=0", [a]),
        RunGroup("agent.entropy=0.01, seed=1", [d]),
        RunGroup("agent.entropy=0.01, seed=0", [c]),
    ]
    assert [group.name for group in group_runs([a, b], each=True)] == ["seed=0", "seed=1"]


def test_names_can_be_given_one_for_each_group(tmp_path: Path) -> None:
    runs = [make(tmp_path / "a", 0, 0.1), make(tmp_path / "b", 0, 0.01)]
    assert [group.name for group in group_runs(runs, names=["high", "low"])] == ["high", "low"]
    expected = r"one name for each group, 2 here: 1\. agent\.entropy=0\.1; 2\. agent\.entropy=0\.01\. Received 1\."
    with pytest.raises(UserError, match=expected):
        group_runs(runs, names=["high"])


def test_names_can_be_given_by_a_text_in_those_that_are_made(tmp_path: Path) -> None:
    runs = [make(tmp_path / name, 0, entropy) for name, entropy in (("a", 0.1), ("b", 0.02), ("c", 0.03))]
    assert group_runs(runs, names=["0.03:low", "0.1:high: as usual"]) == [
        RunGroup("low", [runs[2]]),
        RunGroup("high: as usual", [runs[0]]),
        RunGroup("agent.entropy=0.02", [runs[1]]),
    ]
    assert [group.name for group in group_by_path({tmp_path / "x": runs[:1], tmp_path / "y": runs[1:]}, ["y:why"])] == [
        "why",
        "x",
    ]
    groups = r"1\. agent\.entropy=0\.1; 2\. agent\.entropy=0\.02; 3\. agent\.entropy=0\.03\."
    for names, received in [(["0.0:x"], "0.0:x"), (["0.5:x"], "0.5:x"), (["0.1:x", "=0.1:y"], "=0.1:y")]:
        with pytest.raises(UserError, match=f"each group once; received '{received}', and the groups are: {groups}"):
            group_runs(runs, names=names)


def test_keys_may_be_put_aside(tmp_path: Path) -> None:
    runs = [make(tmp_path / f"{game}_{seed}", seed, more=f"name: {game}\n") for game in "ab" for seed in range(2)]
    assert group_runs(runs, aside=("seed", "name")) == [RunGroup(tmp_path.name, runs)]
    assert len(group_runs(runs)) == 2


def test_paths_may_be_the_groups(tmp_path: Path) -> None:
    a, b = make(tmp_path / "x" / "0", 0, 0.1), make(tmp_path / "x" / "1", 0, 0.01)
    c = make(tmp_path / "y" / "0", 0, 0.1)
    by_path = {tmp_path / "x": [a, b], tmp_path / "y": [c]}
    assert group_by_path(by_path) == [RunGroup("x", [a, b]), RunGroup("y", [c])]
    assert group_by_path(by_path, ["new", "old"])[1] == RunGroup("old", [c])
    with pytest.raises(UserError, match=r"2 here: 1\. x; 2\. y\. Received 1"):
        group_by_path(by_path, ["new"])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (None, "config.yaml' is missing"),
        (b"a: [", "not valid YAML"),
        (b"\xff", "is not text in UTF-8"),
        (b"", "holds lines of the form"),
        (b"- 1", "holds lines of the form"),
        (b"a: " + b"[" * 300, "levels deep"),
        (b"a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
         b"c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n", "at most 10,000 values"),
    ],
)  # fmt: skip
def test_a_run_without_a_usable_configuration_is_a_group_of_its_own(
    tmp_path: Path, damage: bytes | None, message: str
) -> None:
    runs = [make(tmp_path / name, seed) for seed, name in enumerate(("a_0", "a_1", "bad"))]
    (runs[2] / "config.yaml").unlink()
    if damage is not None:
        (runs[2] / "config.yaml").write_bytes(damage)
    with pytest.warns(UserWarning, match=f"{message}.* The run is drawn as a line of its own"):
        assert group_runs(runs) == [RunGroup("a", runs[:2]), RunGroup("bad", runs[2:])]


def test_a_pipe_in_place_of_the_configuration_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.yaml")
    with pytest.warns(UserWarning, match="is a pipe or a device"):
        assert group_runs([tmp_path])[0].runs == [tmp_path]


def test_copies_of_a_run_are_warned_of(tmp_path: Path) -> None:
    runs = [make(tmp_path / name, 5) for name in ("a", "b")]
    with pytest.warns(UserWarning, match="'.*a' and '.*b' have one configuration and one seed, and count as two"):
        assert len(group_runs(runs)) == 1
    assert [group.name for group in group_runs(runs, each=True)] == ["a", "b"]


def test_the_fewest_keys_that_tell_configurations_apart() -> None:
    def names(*settings: dict[str, str]) -> list[str]:
        return telling_keys(settings)

    assert names({"a": "1", "b": "2"}) == []
    assert names({"a": "1", "b": "2"}, {"a": "1", "b": "3"}) == ["b"]
    # A grid needs both keys; a key that follows from another one is left out.
    grid = [{"follows": a, "a": a, "b": b} for a in "12" for b in "12"]
    assert names(*grid) == ["follows", "b"]
    # The kind of a section comes before what only one kind has.
    kinds = {"model.size": "1", "model.kind": "rssm"}, {"model.batch": "1", "model.kind": "next_frame"}
    assert names(*kinds) == ["model.kind"]
    # One key of many values does what two others do together.
    assert names(*({"a": str(i // 2), "b": str(i % 2), "c": str(i)} for i in range(4))) == ["c"]
    assert names({"seed": "1", "b": "1"}, {"seed": "2", "b": "1"}, {"seed": "1", "b": "2"}) == ["b", "seed"]


def test_a_key_that_later_ones_make_needless_is_left_out() -> None:
    # "a" has three values, so it is taken first; then all of the other three are needed, and it is not.
    bits = list(product("01", repeat=3))
    first = {("0", "0", "0"): "0", ("1", "1", "1"): "1"}
    settings = [{"a": first.get(row, "2"), "b": row[0], "c": row[1], "d": row[2]} for row in bits]
    assert telling_keys(settings) == ["b", "c", "d"]


def test_names_of_groups_that_do_not_differ_are_told_apart_by_their_folders() -> None:
    runs = [[Path("/x/a/0")], [Path("/x/b/0")]]
    assert group_names(runs, [None, None]) == ["a/0", "b/0"]
    assert group_names(runs, [{"k": "1"}, {"k": "1"}]) == ["a/0", "b/0"]
    three = [*runs, [Path("/x/b/1")]]
    assert group_names(three, [{"k": "1"}, {"k": "1"}, {"k": "2"}]) == ["k=1, a/0", "k=1, b/0", "k=2"]
    assert group_names(three, [{"k": "1"}, {}, {"k": "2"}]) == ["k=1", "0", "k=2"]
    assert group_names(three[:2], [{"k": "1", "m": "2"}, {"m": "2"}]) == ["k=1", "k=unset"]


def test_of_many_keys_names_tell_what_is_unusual():
    usual = {"a": "1", "b": "2", "c": "3"}
    settings = [usual, *(usual | {key: "0"} for key in "abc"), usual | {"a": "0", "c": "0"}]
    names = group_names([[Path(f"run{i}")] for i in range(5)], settings)
    assert names == ["all as usual", "a=0", "b=0", "c=0", "a=0, c=0"]


@pytest.mark.parametrize(
    ("runs", "name"),
    [
        (["/x/maze_3"], "maze_3"),
        (["/x/maze_seed0", "/x/maze_seed1"], "maze"),
        (["/x/maze-s0", "/x/maze-s1"], "maze"),
        (["/x/maze0", "/x/maze1"], "maze"),
        (["/x/maze10", "/x/maze11"], "maze"),
        (["/x/games0", "/x/games1"], "games"),
        (["/x/dreamerv3_0", "/x/dreamerv3_1"], "dreamerv3"),
        (["/x/maze/0", "/x/maze/1"], "maze"),
        (["/x/maze/seed0", "/x/maze/seed1"], "maze"),
        (["/x/maze/a", "/x/other/b"], "x"),
    ],
)
def test_what_the_folders_of_a_group_are_called_together(runs: list[str], name: str) -> None:
    assert folder_name([Path(run) for run in runs]) == name


def test_short_paths_are_as_long_as_they_must() -> None:
    assert short_paths([Path("/x/a"), Path("/x/b")]) == ["a", "b"]
    assert short_paths([Path("/x/a/0"), Path("/x/b/0"), Path("/y/b/1")]) == ["a/0", "b/0", "b/1"]
