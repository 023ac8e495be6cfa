"""Which precision a run gets: by what it asks for, the processor, and a measurement, all of which are given here."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import tensorflow as tf

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.processor import Processor, this_processor
from worldmodels.envs import EnvConfig
from worldmodels.models.graph import compile_updates
from worldmodels.models.networks.layers import Layer
from worldmodels.telemetry.dashboard import Progress
from worldmodels.training import precision, session
from worldmodels.training.estimate import RunEstimate
from worldmodels.training.launch import launch
from worldmodels.training.precision import build_measured, moved_warning

OLD, NEW = Processor("Old CPU", "AVX2"), Processor("New CPU", "AVX-512 bfloat16")
GPU = Processor("New GPU", "GPU bfloat16")


@pytest.fixture
def decide(monkeypatch):
    """Decides for a run that asks for a precision; gives the precision, the words, and what was built, in turn."""

    def decide(asked, processor, float32=1000.0, bfloat16=1000.0, wall=None):
        built, seconds = [], {"float32": float32, "bfloat16": bfloat16}

        def build(config, env):
            built.append(config.precision)
            return SimpleNamespace(config=config)

        def measure(parts, num_envs, initial_steps):
            assert (num_envs, initial_steps) == (2, 7)
            kind = parts.config.precision
            return RunEstimate((wall or {}).get(kind, 1.0), 0.0, 0.0, processor_seconds=seconds[kind])

        monkeypatch.setattr(precision, "computing_processor", lambda: processor)
        monkeypatch.setattr(precision, "build_parts", build)
        monkeypatch.setattr(precision, "estimate_run", measure)
        config = RunConfig(precision=asked, compile="off", env=EnvConfig(num_envs=2))
        parts, estimate, words = build_measured(config, SimpleNamespace(), 7)
        assert estimate.processor_seconds == seconds[parts.config.precision]
        return parts.config.precision, words, built

    return decide


def test_auto_measures_once_where_the_processor_has_no_bfloat16(decide):
    assert decide("auto", OLD) == (
        "float32",
        "Precision: float32, since Old CPU (AVX2) has no instructions for bfloat16",
        ["float32"],
    )


def test_auto_takes_bfloat16_where_it_is_faster(decide):
    assert decide("auto", NEW, float32=1000.0, bfloat16=420.0) == (
        "bfloat16",
        "Precision: bfloat16; in bfloat16 the run takes 0.42 of float32's time on this processor",
        ["float32", "bfloat16"],
    )


@pytest.mark.parametrize("bfloat16", [951.0, 1000.0, 3000.0])
def test_auto_keeps_float32_for_a_gain_that_a_measurement_cannot_tell(decide, bfloat16):
    found, words, built = decide("auto", NEW, float32=1000.0, bfloat16=bfloat16)
    assert (found, built) == ("float32", ["float32", "bfloat16", "float32"])  # what was measured first is gone by then
    assert words.startswith("Precision: float32; in bfloat16 the run takes ")


@pytest.mark.parametrize(("seconds", "taken"), [((100.0, 50.0), "bfloat16"), ((50.0, 100.0), "float32")])
def test_with_a_gpu_the_wall_time_decides(monkeypatch, decide, seconds, taken):
    """The processors, which only say what the GPU has to do, are as busy in either."""
    wall = dict(zip(("float32", "bfloat16"), seconds, strict=True))
    monkeypatch.setattr(precision, "has_gpu", lambda: True)
    found, words, _ = decide("auto", GPU, wall=wall)
    assert found == taken
    assert f"takes {wall['bfloat16'] / wall['float32']:.2f} of float32's time" in words


@pytest.mark.parametrize("asked", ["float32", "bfloat16"])
def test_what_is_asked_for_is_taken_without_a_comparison(decide, asked):
    slow = {"float32": 1.0, "bfloat16": 1.0} | {asked: 1e6}
    assert decide(asked, NEW, **slow) == (asked, f"Precision: {asked}, as configured", [asked])


def test_bfloat16_is_emulated_with_a_warning(decide):
    found, words, built = decide("bfloat16", OLD)
    assert (found, built) == ("bfloat16", ["bfloat16"])
    assert words == "Precision: bfloat16, which this processor emulates: tens of times slower than float32"
    assert decide("float32", OLD)[1] == "Precision: float32, as configured"


@pytest.fixture
def compiler(monkeypatch):
    """Decides on the compiler of a run; gives it, the last line of words, and the compilers of what was built."""

    def decide(asked="auto", gpu=True, xla=1.0, off=1.0, devices=1, refused=None):
        built, seconds = [], {"xla": xla, "off": off}

        def build(config, env):
            built.append(config.compile)
            return SimpleNamespace(config=config)

        def measure(parts, num_envs, initial_steps):
            if refused and parts.config.compile == "xla":
                raise refused
            return RunEstimate(seconds[parts.config.compile], 0.0, 0.0, 1.0, building_seconds=42.0)

        for name, value in (("computing_processor", lambda: GPU), ("build_parts", build), ("estimate_run", measure)):
            monkeypatch.setattr(precision, name, value)
        monkeypatch.setattr(precision, "has_gpu", lambda: gpu)
        config = RunConfig(compile=asked, devices=devices, precision="float32", env=EnvConfig(num_envs=2))
        parts, estimate, words = build_measured(config, SimpleNamespace(), 7)
        assert estimate.seconds == seconds[parts.config.compile]
        return parts.config.compile, words.splitlines()[-1], built

    yield decide
    compile_updates(False)


AS_CONFIGURED = "Precision: float32, as configured"


def test_xla_compiles_the_updates_on_a_gpu_if_they_are_faster(compiler):
    assert compiler(xla=20.0, off=100.0) == (
        "xla",
        "Compiler: XLA; the run takes 0.20 of the time with XLA, which compiled 42 s",
        ["xla", "off"],
    )
    assert compiler(xla=96.0, off=100.0) == (
        "off",
        "Compiler: off; the run takes 0.96 of the time with XLA, which compiled 42 s",
        ["xla", "off"],
    )


def test_without_a_gpu_or_with_several_nothing_is_compiled(compiler):
    assert compiler(gpu=False) == ("off", AS_CONFIGURED, ["off"])
    assert compiler(devices=2) == ("off", AS_CONFIGURED, ["off"])


def test_an_update_that_xla_refuses_is_not_compiled(compiler):
    refused = tf.errors.InvalidArgumentError(None, None, "Unknown operation\nin a program")
    chosen, words, built = compiler(refused=refused)
    assert (chosen, built) == ("off", ["xla", "off"])
    assert words == "Compiler: off, since XLA refused: Unknown operation"


@pytest.mark.parametrize("asked", ["off", "xla"])
def test_a_compiler_that_is_asked_for_is_taken(compiler, asked):
    assert compiler(asked) == (asked, AS_CONFIGURED, [asked])


@pytest.mark.parametrize("computed_by", [None, "AVX2"])
def test_a_run_that_did_not_move_is_not_warned_about(computed_by):
    assert moved_warning(computed_by, "float32", OLD) is None
    assert moved_warning("AVX-512 bfloat16", "bfloat16", NEW) is None


@pytest.mark.parametrize(("kind", "to"), [("float32", OLD), ("bfloat16", NEW)])
def test_another_processor_gives_other_last_bits(kind, to):
    text = moved_warning("AMX bfloat16", kind, to)
    assert text.startswith(f"This run was computed with AMX bfloat16, and {to} takes sums in another order")
    assert "slower" not in text


def test_a_run_in_bfloat16_is_told_how_to_go_on_without_it():
    text = moved_warning("AVX-512 bfloat16", "bfloat16", OLD)
    assert "takes sums in another order" in text and "tens of times slower" in text and "precision=float32" in text


def test_going_back_to_bfloat16_on_the_same_processor_is_warned_about_too():
    text = moved_warning("AVX2", "bfloat16", OLD)
    assert "add precision=float32" in text and "another order" not in text


@pytest.fixture
def messages(monkeypatch):
    """Everything that a run prints, and the precisions of all layers that it builds."""
    texts, kinds = [], set()
    message, init = Progress.message, Layer.__init__
    monkeypatch.setattr(Progress, "message", lambda self, text: texts.append(text) or message(self, text))

    def recorded(self, *arguments, **named):
        init(self, *arguments, **named)
        kinds.add(self.precision)

    monkeypatch.setattr(Layer, "__init__", recorded)
    return SimpleNamespace(texts=texts, kinds=kinds)


def tiny(preset, *overrides):
    return load_config(RunConfig, [preset], ["env.game=maze", "schedule.evaluate_every=0", *overrides])


def test_a_run_says_its_precision_and_keeps_it_wherever_it_goes_on(tmp_path, messages, monkeypatch):
    path = launch(tiny("debug", "precision=bfloat16", "training.steps=120"), tmp_path / "run")
    (decision,) = (text for text in messages.texts if text.startswith("Precision: bfloat16, "))
    assert "Estimated for this machine" in decision
    assert "bfloat16" in messages.kinds
    assert load_config(RunConfig, [RunDir.open(path).config]).precision == "bfloat16"
    assert Checkpoints(path / "checkpoints").read()[1]["processor"] == this_processor().instructions

    messages.texts.clear(), messages.kinds.clear()
    monkeypatch.setattr(session, "computing_processor", lambda: Processor("Other CPU", "AVX9"))
    launch(tiny("debug", "precision=auto", "training.steps=140"), path)
    assert "bfloat16" in messages.kinds
    assert not any(text.startswith("Precision") for text in messages.texts)
    assert any("and Other CPU (AVX9) takes sums in another order" in text for text in messages.texts)


def test_what_auto_decides_gives_the_numbers_of_a_run_that_was_told_so(tmp_path, monkeypatch, same_tree):
    monkeypatch.setattr(precision, "computing_processor", lambda: NEW)
    monkeypatch.setattr(precision, "WORTH", 1e9)
    kinds, told = ("auto", "bfloat16"), "training.steps=80"
    paths = [launch(tiny("debug_ppo", f"precision={kind}", told), tmp_path / kind) for kind in kinds]
    assert [load_config(RunConfig, [RunDir.open(path).config]).precision for path in paths] == ["bfloat16"] * 2
    trees = [Checkpoints(path / "checkpoints").read()[1] for path in paths]
    for tree in trees:
        del tree["records"]  # which hold sizes of files with times in them
    same_tree(*trees)
