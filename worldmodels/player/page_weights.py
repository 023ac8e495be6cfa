"""Takes the weights of a page's ONNX files out into one file: each stands there once, in 16 bits if these hold it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

FILE = "weights"
"""The name by which the ONNX files refer to the file of weights."""
SMALLEST = 1024
"""Bytes of the tensors that are taken out, at least."""


def apart(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], bytes]:
    """Return ONNX files without their weights, by the same names, and the weights of all of them.

    A number of 32 bits that a number of 16 bits equals is stored as that, and the graph makes 32 bits of it. So
    nothing is lost, and weights that came from a pack take half of the room.
    """
    onnx, weights = import_module("onnx"), _Weights()
    models = {name: onnx.load_model_from_string(content) for name, content in files.items()}
    for model in models.values():
        widened = []
        for tensor in model.graph.initializer:
            array = onnx.numpy_helper.to_array(tensor)
            if array.nbytes < SMALLEST:
                continue
            if array.dtype == np.float32 and np.array_equal(half := array.astype(np.float16), array):
                short = f"{tensor.name}_16"
                widened.append(onnx.helper.make_node("Cast", [short], [tensor.name], to=onnx.TensorProto.FLOAT))
                array, tensor.name = half, short
            weights.place(tensor, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.tobytes())
        nodes = [*widened, *model.graph.node]
        del model.graph.node[:]
        model.graph.node.extend(nodes)
    return {name: model.SerializeToString() for name, model in models.items()}, bytes(weights.content)


class _Weights:
    """The file of weights, which grows."""

    def __init__(self) -> None:
        self.content = bytearray()
        self._offsets: dict[bytes, int] = {}

    def place(self, tensor: Any, dtype: int, data: bytes) -> None:
        """Let a tensor of an ONNX file refer to its numbers in this file."""
        if data not in self._offsets:
            self._offsets[data] = len(self.content)
            self.content += data
        for field in ("raw_data", "float_data", "int32_data", "int64_data"):
            tensor.ClearField(field)
        tensor.data_type, tensor.data_location = dtype, tensor.EXTERNAL
        for key, value in {"location": FILE, "offset": self._offsets[data], "length": len(data)}.items():
            tensor.external_data.add(key=key, value=str(value))
