"""The way from the command line to a run: what is parsed, what is refused, and that a refusal leaves nothing behind."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import from_dict, load_config, to_dict
from worldmodels.core.errors import CheckpointError, DiskFullError, RunError, UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.datasets.source import DatasetSpec
from worldmodels.envs import EnvConfig
from worldmodels.recordings import demonstrations
from worldmodels.recordings.action_recording import ActionRecording, RecordedEpisode, write_recording
from worldmodels.training import check, session
from worldmodels.training.check import check_run
from worldmodels.training.launch import launch, parse_config
from worldmodels.training.sources import Sources


def debug(*overrides):
    return load_config(RunConfig, ["debug"], ["env.game=maze", *overrides])


def test_without_a_configuration_a_new_run_has_that_of_a_laptop(tmp_path):
    overrides = ["env.game=maze", "seed=3"]
    assert parse_config([], overrides, tmp_path / "new") == load_config(RunConfig, ["dreamer_small"], overrides)


@pytest.mark.parametrize("overrides", [[], ["seed=3"], ["env.num_envs=4"]])
def test_where_no_run_is_nothing_begins_without_a_game_or_a_configuration(tmp_path, overrides):
    RunDir.create(tmp_path / "maze", debug(), {})
    typo, right = tmp_path / "mase", tmp_path / "maze"
    with pytest.raises(RunError, match=f"no run folder '{typo}'. Did you mean '{right}'.* Name one: env.game=maze, or"):
        parse_config([], overrides, typo)
    assert not typo.exists()


def test_without_a_configuration_a_run_continues_with_its_own(tmp_path):
    RunDir.create(tmp_path / "run", debug("seed=5"), {})
    assert parse_config([], [], tmp_path / "run") == debug("seed=5")


def test_a_run_names_its_training_and_its_test_levels(tmp_path, capsys):
    config = load_config(RunConfig, ["debug_ppo"], ["env.game=maze", "training.steps=40", "schedule.evaluate_every=0"])
    launch(config, tmp_path / "all")
    assert "levels" not in json.loads((tmp_path / "all" / "meta.json").read_text())
    launch(replace(config, env=replace(config.env, num_levels=20)), tmp_path / "twenty")
    levels = {"train": "training levels 0 to 19", "test": "test levels from 20 on"}
    assert json.loads((tmp_path / "twenty" / "meta.json").read_text())["levels"] == levels
    assert "Trained on: training levels 0 to 19; tested on: test levels from 20 on" in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        (["env.game=mase"], "Did you mean 'maze'"),  # told by the check
        (["model.encoder.patch=24"], "multiples of 48"),  # told while building
    ],
)
def test_a_rejected_configuration_leaves_nothing_behind(tmp_path, overrides, text):
    with pytest.raises(UserError, match=text):
        launch(debug(*overrides), tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert check_run(debug(), tmp_path / "run").is_new


def test_a_run_that_fails_before_its_first_checkpoint_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*arguments, **named):
        raise DiskFullError("no space")

    monkeypatch.setattr(session, "Replay", full)
    with pytest.raises(DiskFullError, match="no space"):
        launch(debug(), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_folder_with_something_else_is_refused_before_anything_is_built(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match=r"not empty \(notes.txt\)"):
        check_run(debug(), tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_new_run_has_no_checkpoint_to_continue_from(tmp_path):
    with pytest.raises(CheckpointError, match="There is no run in .* to continue from a checkpoint of step 300"):
        check_run(debug(), tmp_path / "run", checkpoint=300)


@pytest.mark.parametrize("decided", [True, False])
def test_a_run_that_was_cut_off_while_its_folder_was_made_begins_again(tmp_path, decided):
    run = RunDir.create(tmp_path / "run", debug(f"deterministic={str(decided).lower()}", "compile=off"), {})
    run.meta.unlink()
    assert check_run(debug(), tmp_path / "run").is_new
    with pytest.raises(RunError, match="not empty"):
        check_run(debug("seed=9"), tmp_path / "run")


def test_a_run_whose_checkpoints_are_gone_does_not_begin_anew(tmp_path):
    run = RunDir.create(tmp_path / "run", debug(), {})
    assert not check_run(debug(), tmp_path / "run").is_new  # it was killed before its first checkpoint
    run.metrics.write_text('{"step": 100}\n')
    with pytest.raises(CheckpointError, match="has records and no checkpoint: its checkpoints were taken away"):
        check_run(debug(), tmp_path / "run")


def test_only_the_length_of_a_run_may_change(tmp_path):
    RunDir.create(tmp_path / "run", debug(), {})
    longer = check_run(debug("training.steps=800"), tmp_path / "run")
    assert (longer.is_new, longer.config.training.steps) == (False, 800)
    with pytest.raises(RunError, match="Different: agent.horizon .saved 4, asked for 5"):
        check_run(debug("agent.horizon=5"), tmp_path / "run")


@pytest.mark.parametrize(
    ("saved", "asked", "found"),
    [
        ("xla", "auto", "xla"),
        ("off", "auto", "off"),
        ("off", "xla", "xla"),
        ("xla", "off", "off"),
        ("auto", "auto", "off"),  # it is older than this setting
    ],
)
def test_a_run_keeps_its_compiler_or_changes_it(tmp_path, saved, asked, found):
    RunDir.create(tmp_path / "run", debug(f"compile={saved}"), {})
    assert check_run(debug(f"compile={asked}"), tmp_path / "run").config.compile == found


def test_a_run_keeps_the_determinism_that_it_began_with(tmp_path):
    RunDir.create(tmp_path / "run", debug("deterministic=false"), {})
    assert check_run(debug(), tmp_path / "run").config.deterministic is False
    with pytest.raises(RunError, match="deterministic .saved False, asked for True"):
        check_run(debug("deterministic=true"), tmp_path / "run")


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_a_run_keeps_the_precision_that_it_began_with(tmp_path, kind):
    RunDir.create(tmp_path / "run", debug(f"precision={kind}"), {})
    for asked in ("auto", kind):
        assert check_run(debug(f"precision={asked}"), tmp_path / "run").config.precision == kind


def test_a_run_in_bfloat16_may_go_on_in_float32_and_not_the_other_way(tmp_path):
    RunDir.create(tmp_path / "narrow", debug("precision=bfloat16"), {})
    float32 = debug("precision=float32", "compile=off")
    assert check_run(debug("precision=float32"), tmp_path / "narrow").config == float32
    with pytest.raises(RunError, match="Different: seed .saved 0, asked for 5.. Choose"):
        check_run(debug("precision=float32", "seed=5"), tmp_path / "narrow")
    RunDir.create(tmp_path / "wide", debug("precision=float32"), {})
    text = "may change, and precision from bfloat16 to float32. Different: precision .saved 'float32', asked for 'bf"
    with pytest.raises(RunError, match=text):
        check_run(debug("precision=bfloat16"), tmp_path / "wide")


def test_a_run_older_than_precisions_is_in_float32(tmp_path):
    older = {key: value for key, value in to_dict(debug()).items() if key != "precision"}
    path = RunDir.create(tmp_path / "run", older, {}).path
    for asked in ("auto", "float32"):
        assert check_run(debug(f"precision={asked}"), path).config.precision == "float32"
    assert check_run(parse_config([], [], path), path).config.precision == "float32"
    with pytest.raises(RunError, match="precision .saved 'float32', asked for 'bfloat16'"):
        check_run(debug("precision=bfloat16"), path)


@pytest.mark.parametrize(("deterministic", "compiler"), [(True, "off"), (False, "off"), (False, "xla")])
@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_what_was_decided_when_creating_a_run_was_cut_off_stays_decided(tmp_path, kind, deterministic, compiler):
    begun = debug(f"precision={kind}", f"deterministic={str(deterministic).lower()}", f"compile={compiler}")
    RunDir.create(tmp_path / "run", begun, {}).meta.unlink()
    checked = check_run(debug("precision=auto"), tmp_path / "run")
    assert (checked.is_new, checked.config) == (True, begun)
    other = {"float32": "bfloat16", "bfloat16": "float32"}[kind]
    with pytest.raises(RunError, match="not empty"):
        check_run(debug(f"precision={other}"), tmp_path / "run")


def test_demonstrations_are_replayed_once(tmp_path, monkeypatch):
    file = tmp_path / "play.jsonl"
    write_recording(file, ActionRecording("maze", {}, 5, [RecordedEpisode([7, 1, 3, 5, 2, 4, 6, 8])]))
    calls = []
    replay_actions = demonstrations.replay_actions
    monkeypatch.setattr(
        demonstrations, "replay_actions", lambda *arguments: calls.append(1) or replay_actions(*arguments)
    )
    config = from_dict(RunConfig, {"env": {"game": "maze", "num_envs": 2}, "training": {"demonstrations": [str(file)]}})
    checked = check_run(config, tmp_path / "run")
    assert [step.action.tolist() for step in checked.demonstrations] == [[7, 2], [1, 4], [3, 6], [5, 8]]
    assert checked.sources.steps == 8
    assert len(calls) == 1
    assert demonstrations.load_demonstrations([], EnvConfig(game="maze")) == []


def test_a_run_killed_before_its_first_checkpoint_begins_with_its_demonstrations(tmp_path, monkeypatch):
    replayed = DatasetSpec(1, 7, ObservationSpec.of(3), ActionSpec(2))
    monkeypatch.setattr(check, "check_sources", lambda config: Sources(replayed))
    RunDir.create(tmp_path / "run", debug(), {})
    checked = check_run(debug(), tmp_path / "run")
    assert (checked.is_new, checked.sources.steps) == (False, 7)
    Checkpoints(tmp_path / "run" / "checkpoints").write(0, {})
    assert check_run(debug(), tmp_path / "run").sources.steps == 0
