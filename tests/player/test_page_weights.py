"""Weights apart from their ONNX files give the same results, and stand in the file once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from worldmodels.player.page_weights import FILE, apart

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

SHORT = np.arange(1024, dtype=np.float32).reshape(32, 32) / 1024  # numbers of ten bits
LONG = SHORT + np.float32(2**-20)
INPUT = np.linspace(-1, 1, 64, dtype=np.float32).reshape(2, 32)


def product(weights: np.ndarray) -> bytes:
    """Return an ONNX file that multiplies its input by a matrix, and adds a small vector."""
    make = onnx.helper
    graph = make.make_graph(
        [make.make_node("MatMul", ["x", "w"], ["xw"]), make.make_node("Add", ["xw", "b"], ["y"])],
        "product",
        [make.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 32])],
        [make.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [2, 32])],
        [onnx.numpy_helper.from_array(weights, "w"), onnx.numpy_helper.from_array(np.ones(32, np.float32), "b")],
    )
    opset = make.make_opsetid("", 17)
    return bytes(make.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString())


def test_weights_stand_once_and_in_16_bits_if_these_hold_them(tmp_path: Path) -> None:
    files = {"a": product(SHORT), "b": product(SHORT), "c": product(LONG)}
    written, weights = apart(files)
    assert len(weights) == 2 * 1024 + 4 * 1024
    (tmp_path / FILE).write_bytes(weights)
    for name, content in written.items():
        assert len(content) < 1024
        file = tmp_path / f"{name}.onnx"
        file.write_bytes(content)
        onnx.checker.check_model(str(file))
        sessions = [onnxruntime.InferenceSession(x) for x in (files[name], str(file))]
        found = [session.run(["y"], {"x": INPUT})[0] for session in sessions]
        np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_allclose(found[1], INPUT @ LONG + 1, rtol=1e-5)
