from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow as tf

from worldmodels.config.run_config import EvaluationConfig, RunConfig
from worldmodels.core.errors import CheckpointError, ConfigError, FileError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.specs import ObservationSpec
from worldmodels.envs.config import EnvConfig
from worldmodels.evaluation import evaluator, run
from worldmodels.evaluation.measures import world_model
from worldmodels.evaluation.request import Request
from worldmodels.loading.load import LoadedRun

SETTINGS = EvaluationConfig(
    episodes=4, temperatures=(0.0, 1.0), noops=(0, 2), max_steps=8, context=2, horizon=3, windows=6
)


class Agent:
    """Takes the action that its checkpoint says."""

    discount = None

    def __init__(self) -> None:
        self.action = tf.Variable(2)

    def initial(self, batch):
        return ()

    def act(self, features, memory, temperature, seed):
        return tf.fill((features.shape[0],), self.action), memory, {}

    def load(self, tree: dict[str, Any]) -> None:
        self.action.assign(tree["action"])


class Evaluate:
    """Evaluates the run in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, **asked: Any) -> Any:
        """The JSON, without the time in it."""
        (path,) = run.evaluate_run(Request(self.folder, **asked))
        tree = json.loads(path.read_text())
        del tree["created"]
        return tree


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: Any) -> Callable[..., Evaluate]:
    """A run of the counting world, whose policy always takes action 2."""

    def make(model: Any = None, env: EnvConfig = EnvConfig(game="coinrun")) -> Evaluate:  # noqa: B008
        model = model or parts.CountingModel()
        model.load = lambda tree: None
        config = RunConfig(env=env, evaluation=SETTINGS)
        built = SimpleNamespace(config=config, model=model, world_model=model, agent=Agent())
        loaded = LoadedRun(RunDir(tmp_path), config, 500, built)
        checkpoints = Checkpoints(tmp_path / "checkpoints")
        for step, action in ((100, 1), (500, 2)):
            checkpoints.write(step, {"model": {}, "agent": {"action": action}})
        monkeypatch.setattr(run, "load_run", lambda path, step: loaded if step is None else loaded.at(step))
        return Evaluate(tmp_path)

    monkeypatch.setattr(evaluator, "build_env", lambda config, num_envs: parts.CountingEnv([3, 4, 5, 9][:num_envs]))
    monkeypatch.setattr(world_model, "VIDEO_STEPS", 4)
    return make


def test_the_result_is_kept_as_json_pictures_and_videos(
    make: Callable[..., Evaluate], capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate = make()
    tree = evaluate()
    cells = [(cell["temperature"], cell["noops"], cell["model_temperature"]) for cell in tree["returns"]]
    assert cells == [(0, 0, None), (1, 0, None), (0, 2, None), (1, 2, None)]
    policy = tree["returns"][0]["policy"]
    # Episodes of 3, 4, 5 and 9 steps, cut at 8, each step worth 2: returns 6, 8, 10 and 16, one unfinished.
    assert policy["returns"] == [6, 8, 10, 16]
    assert (policy["n"], policy["mean"], policy["unfinished"]) == (4, 10, 1)
    # Clipped to 1, each step counts once.
    assert policy["clipped_returns"] == [3, 4, 5, 8] and policy["clipped"]["mean"] == 5
    assert policy["normalised"] == 1.0
    assert tree["returns"][0]["above_random"]["n"] == 8
    assert tree["world_model"][0]["image_error"]["mean"] == [0, 0, 0]
    assert (tree["mode"], tree["agent"], tree["settings"]["windows"]) == ("real", "policy", 6)
    assert names_in(evaluate.folder / "eval") == [
        "step_00000500.json",
        "step_00000500_returns.png",
        "step_00000500_world_model.png",
    ]
    cells = ["prediction", "t0_noops0", "t0_noops2", "t1_noops0", "t1_noops2"]
    assert names_in(evaluate.folder / "videos") == [f"evaluation_00000500_{name}.mp4" for name in cells]
    printed = capsys.readouterr().out
    assert "unfinished" in printed and "image error, last frame copied" in printed
    assert "…" not in printed  # no column is too narrow on a terminal of 80 columns


def test_nothing_is_played_where_nothing_can_be_written(
    make: Callable[..., Evaluate], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate = make()
    (evaluate.folder / "eval").write_text("a file in place of the folder")
    monkeypatch.setattr(evaluator.Evaluator, "__init__", lambda *args: pytest.fail("it would play"))
    with pytest.raises(FileError, match="/eval' is no folder, and one is needed there"):
        evaluate()


def test_the_metrics_go_to_tensorboard_at_the_step_of_the_checkpoint(make: Callable[..., Evaluate]) -> None:
    evaluate = make(env=EnvConfig(game="coinrun", num_levels=20))
    request = Request(evaluate.folder, settings={"noops": [0, 2]}, videos=0)
    run.evaluate_run(request, ["train", "test"])
    (path,) = (evaluate.folder / "eval").glob("events.out.tfevents.*")
    found = {}
    for record in tf.data.TFRecordDataset(str(path)):
        event = tf.compat.v1.Event.FromString(record.numpy())
        for value in event.summary.value:
            found[value.tag] = (event.step, float(tf.make_ndarray(value.tensor)))
    assert found["eval/return"] == (500, 10) and found["eval/return_clipped"] == (500, 5)
    assert found["eval/return_t0_noops0"] == found["eval/test_return_t0_noops0"] == (500, 10)
    assert {"eval/return_t1_noops2", "eval/return_t1_noops2_clipped", "eval/random_return"} <= set(found)
    assert found["eval/reward_sum_accuracy_at_1"] == (500, 1) and found["eval/reward_sum_accuracy_at_3"] == (500, 1)


def test_a_mixture_is_reported_per_game_as_well(
    make: Callable[..., Evaluate], capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate = make(env=EnvConfig(game="coinrun, maze", num_envs=4))
    tree = evaluate(settings={"temperatures": [1.0], "noops": [0]}, videos=0)
    policy = tree["returns"][0]["policy"]
    # Environments take turns: coinrun is played by the first and third, maze by the second and fourth.
    assert policy["mean"] == 10 and policy["normalised"] is None
    assert {name: part["returns"] for name, part in policy["games"].items()} == {"coinrun": [6, 10], "maze": [8, 16]}
    assert policy["games"]["maze"]["normalised"] == (12 - 5) / (10 - 5)
    assert "temp. 1, maze" in capsys.readouterr().out


def test_the_same_seed_gives_the_same_file_and_another_one_does_not(make: Callable[..., Evaluate]) -> None:
    evaluate, asked = make(), {"settings": {"temperatures": [1.0]}, "videos": 0}
    first = evaluate(seed=3, **asked)
    assert evaluate(seed=3, **asked) == first
    assert evaluate(seed=4, **asked)["returns"] != first["returns"]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if "tfevents" not in path.name)


def test_another_result_of_the_same_step_is_kept_beside_the_first(
    make: Callable[..., Evaluate], capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate, asked = make(), {"videos": 1, "settings": {"temperatures": [1.0], "noops": [0]}}
    first = evaluate(seed=3, **asked)
    assert "Kept" not in capsys.readouterr().out
    second = evaluate(seed=4, **asked)
    kept = evaluate.folder / "eval" / "step_00000500.json"
    assert f"Kept {kept}, which holds another evaluation." in capsys.readouterr().out
    # Equal numbers take the place of equal numbers: neither makes a third file.
    assert (evaluate(seed=4, **asked), evaluate(seed=3, **asked)) == (second, first)
    stems = ["step_00000500", "step_00000500_2"]
    files = [f"{stem}{end}" for stem in stems for end in (".json", "_returns.png", "_world_model.png")]
    assert names_in(evaluate.folder / "eval") == sorted(files)
    assert json.loads(kept.read_text())["seed"] == 3
    assert names_in(evaluate.folder / "videos") == sorted(
        f"evaluation_00000500{number}_{name}.mp4" for number in ("", "_2") for name in ("prediction", "t1_noops0")
    )


def test_a_damaged_result_is_kept_too(make: Callable[..., Evaluate]) -> None:
    evaluate = make()
    (evaluate.folder / "eval").mkdir()
    (evaluate.folder / "eval" / "step_00000500_model.json").write_text("{")
    evaluate(mode="model", videos=0)
    assert {"step_00000500_model.json", "step_00000500_model_2.json"} <= set(names_in(evaluate.folder / "eval"))


def test_the_spec_alone_says_what_is_reported(
    make: Callable[..., Evaluate], parts: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    """A family of models that nobody knows yet: it gives images as features, and yet reconstructs."""
    model = parts.CountingModel()
    model.spec = model.spec._replace(features=ObservationSpec.of(64, 64, 3), reconstructs=True)
    (found,) = make(model)(mode="model")["world_model"]
    assert found["reconstruction_error"]["mean"] == [0, 0, 0]
    assert "image error, reconstruction" in capsys.readouterr().out
    model.spec = model.spec._replace(features=ObservationSpec.of(3), reconstructs=False)
    (found,) = make(model)(mode="model")["world_model"]
    assert found["reconstruction_error"] is None
    printed = capsys.readouterr().out
    assert "reconstruction" not in printed and "image error, model" in printed


def test_test_levels_are_played_by_the_same_policy_and_named_everywhere(
    make: Callable[..., Evaluate],
    parts: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    played = []

    def build(config: RunConfig, num_envs: int) -> Any:
        played.append((config.env.start_level, config.env.num_levels, config.env.skip_layouts))
        return parts.CountingEnv([3, 4, 5, 9][:num_envs])

    evaluate = make(env=EnvConfig(game="coinrun", num_levels=20, start_level=7))
    monkeypatch.setattr(evaluator, "build_env", build)
    assert evaluate(videos=0)["levels"] == "training levels 7 to 26"
    assert evaluate(levels="test", videos=0)["levels"] == "test levels from 27 on"
    assert evaluate(levels="unseen", videos=0)["levels"] == "levels of unseen layouts from 27 on"
    assert played == [(7, 20, 0), (27, 0, 0), (27, 0, 20)]
    assert {"step_00000500.json", "step_00000500_test.json", "step_00000500_unseen.json"} <= set(
        names_in(evaluate.folder / "eval")
    )
    printed = capsys.readouterr().out
    assert "Returns in coinrun, easy, training levels 7 to 26" in printed
    assert "World model, test levels from 27 on" in printed
    with pytest.raises(ConfigError, match="There are no test levels"):
        make()(levels="test")


def test_all_checkpoints_are_measured_one_by_one(
    make: Callable[..., Evaluate], capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate = make()
    tree = evaluate(all_checkpoints=True, settings={"temperatures": [1.0], "noops": [0]}, videos=0)
    # The first checkpoint takes action 1, so that each step is worth 1.
    returns = {point["step"]: point["metrics"]["eval/return"] for point in tree["checkpoints"]}
    assert returns == {100: 5, 500: 10}
    folder = evaluate.folder / "eval"
    assert json.loads((folder / "step_00000100.json").read_text())["returns"][0]["policy"]["mean"] == 5
    assert (folder / "checkpoints.png").stat().st_size > 1000
    assert "All checkpoints" in capsys.readouterr().out


def test_of_all_checkpoints_one_may_be_gone_and_one_episode_has_no_error(
    make: Callable[..., Evaluate], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate = make()
    listings = iter([[100, 500], [500], [500]])  # that it is gone shows when it is due
    monkeypatch.setattr(LoadedRun, "steps", lambda run: next(listings))
    settings = {"episodes": 1, "temperatures": [1.0], "noops": [0]}
    tree = evaluate(all_checkpoints=True, settings=settings, videos=0)
    (point,) = tree["checkpoints"]
    assert point["step"] == 500 and None in point["metrics"].values()
    assert "The checkpoint of step 100 is gone" in capsys.readouterr().out


def test_a_temperature_of_the_model_is_one_more_axis(make: Callable[..., Evaluate], parts: Any) -> None:
    class Hot(parts.CountingModel):
        """Drifts as much as it is hot."""

        def imagine(self, state, action, temperature, seed):
            return {"value": state["value"] + 1 + temperature, "reward": tf.cast(action, tf.float32)}

    tree = make(Hot())(mode="model", settings={"model_temperatures": [0.0, 2.0]})
    assert "returns" not in tree
    cold, hot = tree["world_model"]
    assert (cold["model_temperature"], hot["model_temperature"]) == (0, 2)
    assert cold["image_error"]["mean"] == [0, 0, 0]
    assert hot["image_error"]["mean"] == pytest.approx([(2 * h / 255) ** 2 for h in (1, 2, 3)], rel=1e-5)


def test_a_planner_plays_in_the_real_game(make: Callable[..., Evaluate]) -> None:
    planner, settings = ["small", "rollouts=10", "horizon=1"], {"temperatures": [1.0], "model_temperatures": [0.5]}
    tree = make()(agent="planner", planner=planner, settings=settings, videos=0)
    assert tree["planner"]["rollouts"] == 10 and tree["planner"]["policy"] == "agent"
    # Every step pays its action: the planner takes 4, the best, wherever no no-op is forced on it.
    assert tree["returns"][0]["policy"]["returns"] == [12, 16, 20, 32]
    assert tree["returns"][0]["model_temperature"] == 0.5
    assert "world_model" not in tree


def test_random_actions_can_take_the_place_of_the_policy(make: Callable[..., Evaluate]) -> None:
    tree = make()(agent="random", videos=0)
    assert [(cell["temperature"], cell["noops"]) for cell in tree["returns"]] == [(1, 0), (1, 2)]
    assert tree["returns"][0]["policy"]["returns"] != tree["returns"][0]["random"]["returns"]


def test_a_run_without_a_world_model_says_so_in_a_line(
    make: Callable[..., Evaluate], parts: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    class Frames:
        spec = parts.CountingModel.spec._replace(imagines=False)
        initial, observe = parts.CountingModel().initial, parts.CountingModel().observe

        def features(self, state):
            return state["value"][:, None]

    tree = make(Frames())(settings={"temperatures": [1.0]}, videos=0)
    assert tree["returns"][0]["policy"]["mean"] == 10 and "world_model" not in tree
    assert "This run has no world model: only its policy is measured." in capsys.readouterr().out


def test_settings_are_checked(make: Callable[..., Evaluate]) -> None:
    evaluate = make()
    for settings, text in [
        ({"episode_count": 3}, "episode_count"),
        ({"episodes": 0}, "settings: episodes must be at least 1. Received 0"),
        ({"temperatures": [1.0, -1.0]}, r"temperatures must be 0 or more. Received \(1.0, -1.0\)"),
        ({"model_temperatures": [-0.5]}, r"model_temperatures must be 0 or more. Received \(-0.5\)"),
        ({"noops": []}, r"noops must hold at least one number, and none twice. Received \(\)"),
        ({"noops": [1, 1]}, r"noops must hold .* none twice. Received \(1, 1\)"),
        ({"horizon": 20, "max_steps": 99}, "evaluation.horizon is 20, and none of 6 recorded windows"),
    ]:
        with pytest.raises(ConfigError, match=text):
            evaluate(settings=settings)
    with pytest.raises(CheckpointError, match="no checkpoint of step 7 .* Steps there: 100, 500"):
        evaluate(step=7)


@pytest.mark.parametrize(
    "asked, text",
    [
        ({"mode": "dreamed"}, "Unknown mode 'dreamed'.*Modes: real, imagined, model"),
        ({"levels": "tests"}, "Unknown level set 'tests'. Did you mean 'test'"),
        ({"agent": "planer"}, "Unknown agent 'planer'. Did you mean 'planner'"),
        ({"agent": "planner", "mode": "model"}, "The agent 'planner' plays in the real game"),
        ({"step": 3, "all_checkpoints": True}, "Either all checkpoints or one of them"),
        ({"agent": "planner", "settings": {"context": 2}}, "--context has no effect with --agent planner"),
        ({"videos": -1}, "The number of episodes to film is -1"),
    ],
)
def test_requests_are_checked(asked: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        Request("runs/some", **asked)


def test_planners_have_names_and_differences() -> None:
    assert Request("r").planner_config().rollouts == 64
    config = Request("r", planner=["base", "policy=random"]).planner_config()
    assert (config.rollouts, config.horizon, config.policy) == (96, 8, "random")
    for planner, text in [
        (["big"], "Unknown planner 'big'.*Planners: tiny, small, base"),
        (["small", "depth=3"], "depth"),
        (["small", "rollouts=0"], "rollouts=0: rollouts must be at least 1. Received 0"),
        (["small", "discount=2"], "discount must be between 0 and 1. Received 2.0"),
    ]:
        with pytest.raises(ConfigError, match=text):
            Request("r", planner=planner).planner_config()


def test_both_level_sets_give_what_each_gives_alone(make: Callable[..., Evaluate]) -> None:
    evaluate = make(env=EnvConfig(game="coinrun", num_levels=20))
    train, test = run.evaluate_run(Request(evaluate.folder, videos=0), ["train", "test"])
    assert (train.name, test.name) == ("step_00000500.json", "step_00000500_test.json")
    together = [json.loads(path.read_text()) for path in (train, test)]
    assert [tree["levels"] for tree in together] == ["training levels 0 to 19", "test levels from 20 on"]
    for tree, levels in zip(together, ("train", "test"), strict=True):
        del tree["created"]
        assert evaluate(levels=levels, videos=0) == tree


def test_an_unknown_level_set_is_told_before_anything_is_played(make: Callable[..., Evaluate]) -> None:
    evaluate = make(env=EnvConfig(game="coinrun", num_levels=20))
    with pytest.raises(ConfigError, match="Unknown level set 'both'. Level sets: train, test"):
        run.evaluate_run(Request(evaluate.folder, videos=0), ["train", "both"])  # type: ignore[list-item]
    assert not (evaluate.folder / "eval").exists()
