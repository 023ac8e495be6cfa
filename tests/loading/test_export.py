"""An exported policy and world model, called as another program would, give what the run gives."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest
import tensorflow as tf
from untrained import write_untrained_run

import worldmodels
from worldmodels.cli import main
from worldmodels.core.errors import UserError
from worldmodels.core.specs import ActionSpec
from worldmodels.loading import export as exporting
from worldmodels.loading import exported
from worldmodels.loading.load import LoadedRun
from worldmodels.models.flow.model import Flow
from worldmodels.models.graph import portable
from worldmodels.models.motion import edge_correlation
from worldmodels.models.networks.scan import scan

needs_onnx = pytest.mark.skipif(importlib.util.find_spec("tf2onnx") is None, reason="the extra 'onnx'")


@pytest.fixture(scope="module", autouse=True)
def few_calls() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporting, "CALLS", 8)
        yield


def untrained(folder: Path, presets: list[str], changes: list[str]) -> LoadedRun:
    return worldmodels.load(write_untrained_run(folder, presets, changes))


@pytest.fixture(scope="module")
def dreamer(tmp_path_factory: pytest.TempPathFactory) -> LoadedRun:
    return untrained(tmp_path_factory.mktemp("runs") / "maze", ["dreamer_small", "debug"], ["env.game=maze"])


@pytest.fixture(scope="module")
def sac(tmp_path_factory: pytest.TempPathFactory) -> LoadedRun:
    return untrained(tmp_path_factory.mktemp("runs") / "pole", ["debug_sac"], ["env.game=Pendulum-v1"])


def zeros(inputs: list[dict]) -> dict[str, np.ndarray]:
    return {x["name"]: np.zeros(x["shape"], x["dtype"]) for x in inputs}


def next_state(outputs: dict) -> dict:
    return {name.removeprefix("next_"): x for name, x in outputs.items() if name.startswith("next_")}


def test_a_policy_plays_from_its_saved_model(sac: LoadedRun, tmp_path: Path) -> None:
    written = sac.export(tmp_path / "policy", num_envs=2)
    assert json.loads((tmp_path / "policy" / "export.json").read_text()) == written
    assert (written["game"], written["steps"], written["num_envs"]) == ("Pendulum-v1", 0, 2)
    # 8 calls of 2 environments.
    assert written["checked"] | {"largest_in_tolerances": 0} == {
        **{"calls": 8, "rows": 16, "rows_beyond": 0, "tolerance": 1e-3, "largest_in_tolerances": 0}
    }
    step = tf.saved_model.load(str(tmp_path / "policy")).signatures["step"]
    inputs = zeros(written["functions"]["step"]["inputs"])
    state = {name: x for name, x in inputs.items() if name.startswith("state_")}
    env, policy = sac.make_env(2), sac.policy(2, deterministic=True)
    observation, _ = env.reset(seed=0)
    is_first = np.ones(2, bool)
    for _ in range(3):
        given = {**inputs, **state, "observation": observation, "is_first": is_first}
        outputs = step(**{name: tf.constant(x) for name, x in given.items()})
        action = policy(observation, is_first)
        np.testing.assert_array_equal(outputs["action"], action)
        observation, *_ = env.step(action)
        state, is_first = next_state(outputs), np.zeros(2, bool)


def test_a_world_model_steps_from_its_saved_model(dreamer: LoadedRun, tmp_path: Path) -> None:
    written = dreamer.export(tmp_path / "model", "model")
    assert set(written["functions"]) == {"observe", "step"}
    signatures = tf.saved_model.load(str(tmp_path / "model")).signatures
    inputs = {name: zeros(function["inputs"]) for name, function in written["functions"].items()}
    frame = np.full((1, 64, 64, 3), 200, np.uint8)
    observed = signatures["observe"](
        **{**inputs["observe"], "observation": tf.constant(frame), "is_first": tf.constant([True])}
    )
    state = next_state(observed)
    np.testing.assert_array_equal(state["state_picture"], frame)  # from which it copies
    predicted = signatures["step"](**{**inputs["step"], **state, "action": tf.constant([3])})
    model, seed = dreamer.parts.world_model, tf.zeros(2, tf.int32)
    before = model.observe(model.initial(1), frame, tf.constant([0]), tf.constant([True]), seed)
    after = model.imagine(before, tf.constant([3]), 0.0, seed)
    np.testing.assert_array_equal(predicted["next_state_model_recurrent"], after.recurrent)
    np.testing.assert_array_equal(predicted["frame"], model.frame(after, frame))
    np.testing.assert_array_equal(predicted["reward"], model.reward(after))
    np.testing.assert_array_equal(predicted["continuation"], model.continuation(after))


def test_a_policy_acts_at_a_state_of_the_exported_model(dreamer: LoadedRun, tmp_path: Path) -> None:
    written = dreamer.export(tmp_path / "both", "both")
    assert list(written["functions"]) == ["observe", "act", "step"]
    # Of 8 calls of the model 4 observe, and the policy acts at each of these.
    assert (written["checked"]["rows"], written["checked"]["rows_beyond"]) == (12, 0)
    signatures = tf.saved_model.load(str(tmp_path / "both")).signatures
    inputs = {name: zeros(function["inputs"]) for name, function in written["functions"].items()}
    frame = np.full((1, 64, 64, 3), 200, np.uint8)
    state = next_state(signatures["observe"](**inputs["observe"] | {"observation": frame, "is_first": [True]}))
    chosen = signatures["act"](**{name: state.get(name, x) for name, x in inputs["act"].items()})
    model, agent = dreamer.parts.model, dreamer.parts.agent
    seed = tf.zeros(2, tf.int32)
    seen = model.observe(model.initial(1), frame, tf.constant([0]), tf.constant([True]), seed)
    action, _, extras = agent.act(model.features(seen), agent.initial(1), 0.0, seed)
    np.testing.assert_array_equal(chosen["action"], action)
    np.testing.assert_allclose(chosen["logits"], extras["logits"], atol=1e-5)
    np.testing.assert_allclose(chosen["value"], extras["value"], atol=1e-5)


def test_an_export_that_differs_is_not_kept(sac: LoadedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = exporting._WRITERS["savedmodel"]

    def wrong(functions, folder):
        def shifted(run):
            return lambda inputs: {name: x + 0.1 if name == "action" else x for name, x in run(inputs).items()}

        return {name: x._replace(run=shifted(x.run)) for name, x in writer(functions, folder).items()}

    monkeypatch.setattr(exporting, "_WRITERS", {"savedmodel": wrong})
    with pytest.raises(UserError, match="not kept: 8 of 8 rows .* at most 100 times it, in 'action'"):
        sac.export(tmp_path / "policy")
    assert not list(tmp_path.iterdir())


def test_what_is_there_is_not_replaced_and_what_is_not_there_not_exported(sac: LoadedRun, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is there already"):
        sac.export(tmp_path)
    with pytest.raises(UserError, match="is no world model"):
        sac.export(tmp_path / "model", "model")


def test_the_command_says_what_it_wrote(sac: LoadedRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "policy"
    assert main(["export", str(sac.run_dir.path), "--out", str(out)]) == 0
    assert capsys.readouterr().out == (
        f"Wrote the policy as of step 0: {out}. Of 8 rows, 0 differ from the run's own by more than 0.001.\n"
    )
    assert main(["export", str(sac.run_dir.path), "--out", str(tmp_path / "none"), "--num-envs", "0"]) == 2
    assert "num_envs" in capsys.readouterr().err


def test_without_its_packages_onnx_names_the_extra(
    sac: LoadedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "find_spec", lambda name: None if name == "tf2onnx" else object())
    with pytest.raises(UserError, match=r"needs tf2onnx, .* pip install 'worldmodels-lab\[onnx\]'"):
        sac.export(tmp_path / "policy", format="onnx")


@needs_onnx
@pytest.mark.parametrize("what", ["policy", "model", "both"])
def test_onnx_runtime_gives_what_the_run_gives(dreamer: LoadedRun, tmp_path: Path, what: str) -> None:
    import onnxruntime

    written = dreamer.export(tmp_path / "out", what, "onnx")
    assert written["checked"]["rows_beyond"] == 0
    for name, function in written["functions"].items():
        session = onnxruntime.InferenceSession(str(tmp_path / "out" / f"{name}.onnx"))
        assert {x.name for x in session.get_inputs()} == {x["name"] for x in function["inputs"]}
        assert [x.name for x in session.get_outputs()] == [x["name"] for x in function["outputs"]]
        assert "noise_0" in zeros(function["inputs"])


@needs_onnx
def test_next_frames_and_sampled_actions_go_through_onnx(sac: LoadedRun, tmp_path: Path) -> None:
    assert sac.export(tmp_path / "sac", format="onnx")["checked"]["rows_beyond"] == 0
    for name, presets, changes in (
        ("small", ["simple_small", "debug_simple"], []),
        ("published", ["simple_deterministic"], ["model.network.hidden=8"]),  # means over images of one pixel
    ):
        run = untrained(tmp_path / name, presets, ["env.game=maze", *changes])
        assert run.export(tmp_path / f"onnx_{name}", "model", "onnx")["checked"]["rows_beyond"] == 0


@needs_onnx
def test_the_calls_of_a_sampled_frame_are_an_input(tmp_path: Path) -> None:
    import onnxruntime

    run = untrained(
        tmp_path / "run", ["flow_small"], ["env.game=maze", "model.calls=2", "model.width=8", "model.blocks=1"]
    )
    model, random = cast(Flow, run.parts.world_model), np.random.default_rng(0)
    for weight in model.averaged.weights:  # untrained ones draw the same in any number of calls
        weight.assign(weight + random.normal(0, 0.2, weight.shape))
    written = run.export(tmp_path / "out", "model", "onnx")
    assert written["checked"]["rows_beyond"] == 0
    inputs = zeros(written["functions"]["step"]["inputs"])
    inputs |= {"temperature": np.array(1, np.float32), "noise_0": np.full((1, 64, 64, 3), 0.3, np.float32)}
    session = onnxruntime.InferenceSession(str(tmp_path / "out" / "step.onnx"))
    frames = [session.run(["frame"], inputs | {"calls": np.array(calls, np.int32)})[0] for calls in (1, 2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tf.random, "stateless_normal", lambda shape, seed: tf.fill(shape, 0.3))
        for calls, frame in zip((1, 2), frames, strict=True):
            model.set_calls(calls)
            state = model.imagine(model.initial(1), tf.constant([0]), 1.0, tf.zeros(2, tf.int32))
            assert np.abs(model.frame(state).numpy().astype(int) - frame).max() <= 1
    assert (frames[0] != frames[1]).any()


def test_what_onnx_cannot_take_is_refused_in_a_sentence() -> None:
    text = "cannot be exported to ONNX; --format savedmodel can. The error: no such op"
    with pytest.raises(UserError, match=text), exporting._refused():
        raise ValueError("no such op")


def test_the_names_of_a_nest_lead_back_to_it() -> None:
    nest = {"b": (np.int32(1), {"x y": np.int32(2)}), "a": np.int32(3), "c": ()}
    named = exported._named("state", nest)
    assert named == {"state_a": 3, "state_b_0": 1, "state_b_1_x_y": 2}
    assert exported._nest("state", nest, named) == nest


def test_the_meaning_of_an_action_says_its_bounds() -> None:
    assert exported.meaning("action", "step", ActionSpec(15)) == "one of 15 choices, counted from 0"
    box = exported.meaning("action", "observe", ActionSpec(low=(-2.0,), high=(2.0,)))
    assert "from -2 to 2, as numbers from -1 to 1" in box and box.endswith("which led to the observation")


@pytest.mark.parametrize(
    ("original", "found", "tolerances"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.002], [3.0, 4.0]], [1.0, 0.0]),  # 0.002 of 2 is a tolerance
        ([[0.0, 0.5]], [[0.0005, 0.5]], [0.5]),  # below 1 it is 0.001
        (np.array([[10, 20]], np.uint8), np.array([[11, 23]], np.uint8), [2.0]),  # the mean over the pixels
        (np.array([1, 2], np.int32), np.array([1, 3], np.int32), [0.0, 500.0]),
        ([[0.0]], [[np.nan]], [np.inf]),
        ([[np.inf]], [[1.0]], [np.inf]),
        ([[np.nan, np.inf]], [[np.nan, np.inf]], [0.0]),
        ([[0.0]], [[0.0, 0.0]], [np.inf]),
    ],
)
def test_a_difference_is_in_units_of_the_tolerance(original, found, tolerances) -> None:
    as_array = [x if isinstance(x, np.ndarray) else np.array(x, np.float32) for x in (original, found)]
    np.testing.assert_allclose(exporting.difference(*as_array), tolerances, rtol=1e-3)


def test_portable_graphs_give_the_same_numbers() -> None:
    random = np.random.default_rng(0)
    frame = tf.constant(random.integers(0, 256, (2, 16, 12, 3), np.uint8))
    target = tf.roll(frame, [1, 2], [1, 2])
    inputs = tf.constant([[1.0], [2.0], [3.0]])

    def both() -> tuple:
        total = scan(lambda state, x: (state + x, state * x), (tf.zeros(1),), (inputs,))
        return edge_correlation(frame, target, 3), *total

    plain = both()
    with portable():
        graph = tf.function(both).get_concrete_function()
    assert not {op.type for op in graph.graph.get_operations()} & {"FFT2D", "Complex", "While", "StatelessWhile"}
    for a, b in zip(plain, graph(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)
    np.testing.assert_array_equal(plain[1][:, 0], [1.0, 3.0, 6.0])
