"""What a model computes on, by what TensorFlow says of its GPUs, which is given here: none is needed."""

from __future__ import annotations

import pytest
import tensorflow as tf

from worldmodels.core.processor import Processor, this_processor
from worldmodels.models.devices import computing_processor, gpu_names, has_gpu


def pretend(monkeypatch, *gpus):
    """Let TensorFlow see GPUs of these details."""
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind: list(gpus) if kind == "GPU" else ["CPU"])
    monkeypatch.setattr(tf.config.experimental, "get_device_details", lambda gpu: gpu)


def test_without_a_gpu_it_is_the_processor(monkeypatch):
    pretend(monkeypatch)
    assert not has_gpu() and gpu_names() == []
    assert computing_processor() == this_processor()


@pytest.mark.parametrize(
    ("capability", "instructions", "bfloat16"),
    [((7, 5), "GPU", False), ((8, 0), "GPU bfloat16", True), ((10, 0), "GPU bfloat16", True)],
)
def test_with_one_it_is_the_first_gpu(monkeypatch, capability, instructions, bfloat16):
    gpu = {"device_name": "Some GPU", "compute_capability": capability}
    pretend(monkeypatch, gpu, {"device_name": "another"})
    assert has_gpu() and gpu_names() == ["Some GPU", "another"]
    assert computing_processor() == Processor("Some GPU", instructions)
    assert computing_processor().multiplies_bfloat16 is bfloat16


def test_a_gpu_that_says_nothing_of_itself_is_one(monkeypatch):
    pretend(monkeypatch, {})
    assert computing_processor() == Processor("GPU", "GPU")
