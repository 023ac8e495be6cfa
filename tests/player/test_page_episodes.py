"""The recorded episodes of a page: which are taken, in which form, and what a page cannot have."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Step
from worldmodels.envs.config import EnvConfig
from worldmodels.player import page_episodes
from worldmodels.player.page_episodes import check_recordable, episodes_file
from worldmodels.replay import Replay, ReplayConfig

SHAPE = (1, 2, 1)


def run_of(folder: Path, observation: ObservationSpec, action: ActionSpec, game: str = "a_module:Lamp-v0") -> Any:
    """Return a run with nothing but its specs and its experience."""
    spec = SimpleNamespace(observation=observation, action=action)
    return SimpleNamespace(
        config=SimpleNamespace(env=EnvConfig(game=game)),
        parts=SimpleNamespace(world_model=SimpleNamespace(spec=spec)),
        run_dir=SimpleNamespace(path=folder, replay=folder / "replay"),
    )


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """A run with three episodes of one stream, of 3, 2 and 2 frames; the second is held out, the last goes on."""
    observation, action = ObservationSpec.of(*SHAPE), ActionSpec(4)
    replay = Replay(tmp_path / "replay", 1, observation, action, ReplayConfig(1000, held_out_every=2))
    lines = [("first", 5, 0.0, 2), ("", 7, 0.5, 3), ("last", 6, 1.0, 0)]
    lines += [("first", 20, 0.0, 1), ("last", 21, 2.0, 0), ("first", 250, 0.0, 3), ("", 1, 0.25, 2)]
    for what, value, reward, chosen in lines:
        first, last = np.array([what == "first"]), np.array([what == "last"])
        frame = np.full((1, *SHAPE), value, np.uint8)
        step = Step(frame, np.float32([reward]), first, last, last, np.array([chosen], np.int32))
        replay.append(step.stored())
    replay.close()
    return run_of(tmp_path, observation, action)


def read(content: bytes) -> tuple[Any, list[int]]:
    (length,) = struct.unpack_from("<I", content)
    return json.loads(content[4 : 4 + length]), list(content[4 + length :])


def test_held_out_episodes_come_first_and_then_the_newest(run: Any) -> None:
    head, frames = read(episodes_file(run))
    assert head["shape"] == [1, 2, 1]
    assert head["episodes"] == [
        {"actions": [1], "rewards": [2.0], "ended": True, "held_out": True},
        {"actions": [3], "rewards": [0.25], "ended": False, "held_out": False},
        {"actions": [2, 3], "rewards": [0.5, 1.0], "ended": True, "held_out": False},
    ]
    assert frames == [20, 20, 1, 1, 250, 250, 7, 7, 5, 5, 2, 2, 255, 255]  # 6 - 7 and 1 - 250 go round at 256


def test_an_episode_that_takes_too_much_room_is_cut(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_episodes, "MOST_BYTES", 60)
    episodes = read(episodes_file(run))[0]["episodes"]
    assert [(len(one["actions"]), one["ended"]) for one in episodes] == [(1, True), (1, False), (1, False)]


def test_only_so_many_episodes_and_steps_are_taken(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_episodes, "MOST_EPISODES", 2)
    assert len(read(episodes_file(run))[0]["episodes"]) == 2
    monkeypatch.setattr(page_episodes, "MOST_EPISODES", 3)
    monkeypatch.setattr(page_episodes, "MOST_STEPS", 1)
    assert read(episodes_file(run))[0]["episodes"][2] == {
        "actions": [2],
        "rewards": [0.5],
        "ended": False,
        "held_out": False,
    }


def test_what_a_page_cannot_show_is_a_sentence(run: Any, tmp_path: Path) -> None:
    image, choices = ObservationSpec.of(*SHAPE), ActionSpec(4)
    check_recordable(run)
    with pytest.raises(UserError, match="A page plays one game. The run's environment is a mixture, 'maze,heist'"):
        check_recordable(run_of(tmp_path, image, choices, "maze,heist"))
    with pytest.raises(UserError, match="one image of 1 or 3 colours. 'a_module:Lamp-v0' shows"):
        check_recordable(run_of(tmp_path, ObservationSpec.of(4), choices))
    with pytest.raises(UserError, match="one image of 1 or 3 colours"):
        check_recordable(run_of(tmp_path, ObservationSpec.of(4, 4, 2), choices))
    with pytest.raises(UserError, match="at most 48 choices. The actions of 'a_module:Lamp-v0' are"):
        check_recordable(run_of(tmp_path, image, ActionSpec(low=(-1.0,), high=(1.0,))))
    with pytest.raises(UserError, match="at most 48 choices"):
        check_recordable(run_of(tmp_path, image, ActionSpec(49)))
    with pytest.raises(UserError, match="'a_module:Lamp-v0' is no native game, and the run in '.*empty' keeps"):
        check_recordable(run_of(tmp_path / "empty", image, choices))
