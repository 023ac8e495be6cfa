from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import worldmodels
from worldmodels.core.errors import UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.packs import read_card, run_folder
from worldmodels.core.files.run_dir import RunDir
from worldmodels.envs.config import MOST_SKIPPED, EnvConfig
from worldmodels.player import publish as publishing
from worldmodels.player.publish import publish
from worldmodels.replay import ReplayReader

CHANGES = {
    "env.num_levels": 3,
    "schedule.evaluate_every": 0,
    "evaluation.episodes": 2,
    "evaluation.windows": 2,
    "evaluation.horizon": 2,
    "evaluation.max_steps": 4,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return worldmodels.train("coinrun", "debug_simple", CHANGES, tmp_path_factory.mktemp("runs") / "tiny")


@pytest.fixture(scope="module")
def pack(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    publish(run, run.parent / "tiny.world", "Tiny")
    return run.parent / "tiny.world"


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


def test_the_card(run: Path, pack: Path) -> None:
    card = read_card(pack)
    assert (card.title, card.game, card.licence) == ("Tiny", "coinrun", "MIT")
    assert (card.model, card.agent) == ("deterministic", "ppo")
    assert card.step == worldmodels.load(run).step and card.levels == "unseen"
    assert card.evaluation["eval/image_error_at_2"] > 0
    assert {"eval/return", "eval/actions_reproduced"} < card.evaluation.keys()
    assert {"config.yaml", "meta.json", "film.mp4", "replay/store.json"} < card.files.keys()


def test_a_film_of_held_keys_for_a_run_without_a_policy(run: Path, tmp_path: Path) -> None:
    changes = {**CHANGES, "agent.kind": "random"}
    world = worldmodels.train("coinrun", "debug_simple", changes, tmp_path / "world")
    publish(world, tmp_path / "a.world", "A")
    assert read_card(tmp_path / "a.world").agent == "random"
    assert (run_folder(tmp_path / "a.world") / "film.mp4").stat().st_size > 10_000


def test_a_world_that_began_as_a_pack_has_the_commands_of_both(pack: Path, tmp_path: Path) -> None:
    changes = {**CHANGES, "training.pretrained": str(pack), "training.fit": 0}
    world = worldmodels.train("coinrun", "debug_simple", changes, tmp_path / "world")
    publish(world, tmp_path / "a.world", "A")
    before, _ = read_card(tmp_path / "a.world").command.split("\n")
    assert before == read_card(pack).command


def test_a_pack_of_a_pack_has_its_command_and_commit(pack: Path) -> None:
    loaded, card = worldmodels.load(pack), read_card(pack)
    assert publishing._origin(pack, loaded.run_dir, loaded.config) == (card.command, card.commit)


def test_a_flow_is_packed_as_the_averages_that_draw(tmp_path: Path) -> None:
    tree = {
        "model": {
            "weights": {"flow/place": np.ones(2), "events/place": np.ones(3)},
            "averages": {"averaged/place": np.ones(2)},
        },
        "agent": {},
    }
    packed = publishing._weights(tree, np.float16)
    assert packed["model"]["weights"].keys() == {"events/place"}
    assert packed["model"]["averages"].keys() == {"averaged/place"}


def test_the_weights_are_those_of_the_run_in_16_bits(run: Path, pack: Path) -> None:
    packed, ours = worldmodels.load(pack), worldmodels.load(run)
    pairs = zip(packed.parts.model.save()["weights"].items(), ours.parts.model.save()["weights"].items(), strict=True)
    for (name, found), (other, weight) in pairs:
        assert name == other and found.dtype == np.float32
        np.testing.assert_array_equal(found, weight.astype(np.float16))
    tree = Checkpoints(packed.run_dir.checkpoints).read()[1]
    assert tree["model"]["optimizer"].keys() == {"updates"}


def test_a_pack_is_evaluated_and_dreamed_in_as_a_run(pack: Path) -> None:
    assert worldmodels.evaluate(pack, "model")["step"] == read_card(pack).step
    envs = worldmodels.dream(pack, num_envs=2, horizon=3)
    observation, _ = envs.reset(seed=0)
    assert observation.shape == (2, 64, 64, 3)


def test_its_experience_is_the_beginning_of_the_run_s(run: Path, pack: Path) -> None:
    packed, whole = (ReplayReader(RunDir.open(path).replay) for path in (pack, run))
    length = len(packed.span)
    assert length == min(512 // whole.num_streams, len(whole.span))
    np.testing.assert_array_equal(packed.window(0, 0, length).observation, whole.window(0, 0, length).observation)


def test_a_name_that_is_no_pack_s_or_taken_is_refused(run: Path, pack: Path) -> None:
    with pytest.raises(UserError, match=r"its name must end in '\.world'"):
        publish(run, run.parent / "tiny.zip", "Tiny")
    with pytest.raises(UserError, match="it is there already"):
        publish(run, pack, "Tiny")


def test_weights_that_are_too_large_are_refused_before_they_are_evaluated(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "MOST_WEIGHT_BYTES", 100)
    monkeypatch.setattr(publishing, "load_run", None)
    with pytest.raises(UserError, match="The weights of a pack have at most 100 bytes"):
        publish(run, tmp_path / "a.world", "A")
    assert not (tmp_path / "a.world").exists()


@pytest.mark.parametrize(("levels", "played"), [(0, "train"), (20, "unseen"), (MOST_SKIPPED + 1, "test")])
def test_levels_on_which_a_pack_is_evaluated(levels: int, played: str) -> None:
    assert publishing._levels(EnvConfig(num_levels=levels)) == played


def test_training_in_a_pack_is_refused(pack: Path) -> None:
    with pytest.raises(UserError, match="is a pack"):
        worldmodels.train("coinrun", "debug_simple", CHANGES, pack)
    with pytest.raises(UserError, match="is a pack"):
        worldmodels.train("coinrun", "debug_simple", CHANGES, "gallery:coinrun")
    assert run_folder(pack).is_dir()
