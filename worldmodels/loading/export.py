"""Exports a run's policy, world model or both to TensorFlow's SavedModel or to ONNX, and compares the export with it.

A SavedModel draws random numbers from its input `seed`. ONNX has no draws that depend on a seed, so there each draw
becomes an input, `noise_0` and so on.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from worldmodels.acting.build import Parts
from worldmodels.core.errors import FileError, UserError, pip_install, shortened
from worldmodels.core.specs import ActionSpec
from worldmodels.datasets.source import writing_folder
from worldmodels.envs import VectorEnv
from worldmodels.loading.exported import KINDS, Call, Function, Tensors, What, meaning
from worldmodels.models.graph import portable

Format = Literal["savedmodel", "onnx"]

CALLS = 64
"""Calls of the original with which an export is compared."""
TOLERANCE = 1e-3
"""Largest difference of a number, in units of the number, or of 1 where that is more. The mean difference of the
pixels of an image may be 1 of 255."""
ROWS = 0.02
"""Share of the rows that may differ by more: a draw that falls between two classes may fall to either."""

OPSET = 17
"""The version of ONNX's operations. With 18, tf2onnx 1.17 gives means over wrong axes after transpositions."""
_ONNX = ("tf2onnx", "onnx", "onnxruntime")


class Exported(NamedTuple):
    """A function as it was loaded from its file."""

    file: str
    inputs: Callable[[Tensors], Tensors]
    """Gives the inputs of the export from those of the original."""
    run: Callable[[Tensors], Tensors]
    noise: Mapping[str, str]
    """The meaning of each input that the original draws itself."""


def check_format(format: Format) -> None:
    """Raise UserError if the packages of a format are not installed."""
    absent = [name for name in _ONNX if format == "onnx" and find_spec(name) is None]
    if absent:
        raise UserError(f"ONNX needs {', '.join(absent)}, which are not installed: {pip_install('onnx')} brings them.")


def export(
    parts: Parts, env: VectorEnv, out: Path | str, what: What, format: Format, about: Mapping[str, Any]
) -> dict[str, Any]:
    """Write an export into a new folder, with a description in `export.json`, and return this description.

    Args:
        env: the run's environment; an export steps as many side by side as this.
        about: what the description says about the run.

    Raises:
        UserError: the export differs from the original, or cannot be made.
        DiskFullError, FileError: something is there already, or it cannot be written.
    """
    check_format(format)
    functions = KINDS[what](parts, env.num_envs)
    with writing_folder(out) as folder:
        try:
            exported = _WRITERS[format](functions.functions, folder)
        except tf.errors.OpError as error:
            raise FileError(f"'{out}' cannot be written: {shortened(error.message)}") from error
        described, checked = _compare(exported, functions.calls(env, CALLS), parts.model.spec.action)
        description = {
            **about,
            "what": what,
            "format": format,
            "num_envs": env.num_envs,
            "functions": described,
            "checked": checked,
        }
        (folder / "export.json").write_text(json.dumps(description, indent=2, allow_nan=False) + "\n")
    return description


def _write_savedmodel(functions: Mapping[str, Function], folder: Path) -> dict[str, Exported]:
    graphs = {name: _traced(function.call, function.inputs) for name, function in functions.items()}
    module = tf.Module()
    module.weights = [list(graph.variables) for graph in graphs.values()]
    tf.saved_model.save(module, str(folder), signatures=graphs)
    loaded = tf.saved_model.load(str(folder))

    def run(name: str) -> Callable[[Tensors], Tensors]:
        return lambda inputs: loaded.signatures[name](**{key: tf.constant(x) for key, x in inputs.items()})

    return {name: Exported(".", dict, run(name), {}) for name in functions}


def _write_onnx(functions: Mapping[str, Function], folder: Path) -> dict[str, Exported]:
    folder.mkdir()
    return {name: _onnx(function, folder / f"{name}.onnx") for name, function in functions.items()}


_WRITERS: Mapping[Format, Callable[[Mapping[str, Function], Path], dict[str, Exported]]] = {
    "savedmodel": _write_savedmodel,
    "onnx": _write_onnx,
}


def _traced(call: Callable[..., Any], inputs: Mapping[str, tf.TensorSpec]) -> Any:
    named = {name: tf.TensorSpec(spec.shape, spec.dtype, name) for name, spec in inputs.items()}
    return tf.function(call, autograph=False).get_concrete_function(**named)


def _draws() -> list[tf.Operation]:
    """Return the random draws of the graph that is made now."""
    return [op for op in tf.compat.v1.get_default_graph().get_operations() if op.type in _NOISE]


def _uniform_integers(op: tf.Operation) -> str:
    low, high = (tf.get_static_value(bound) for bound in op.inputs[-2:])
    return f"whole numbers from {low} to {high - 1}, each as probable"


UNIFORM = "numbers from 0 to 1 (1 excluded), uniform"
NORMAL = "numbers of a standard normal distribution"
_NOISE: Mapping[str, Callable[[tf.Operation], str]] = {
    "StatelessRandomUniformV2": lambda op: UNIFORM,
    "StatelessRandomNormalV2": lambda op: NORMAL,
    "StatelessRandomUniformIntV2": _uniform_integers,
}
"""The meaning of a draw's numbers, by the operation."""


def _onnx(function: Function, path: Path) -> Exported:
    """Write a function as an ONNX file, in whose graph each draw is an input."""
    with portable():
        graph = _traced(lambda **inputs: (function.call(**inputs), [x.outputs[0] for x in _draws()]), function.inputs)
    with graph.graph.as_default():
        draws = {f"noise_{index}": op for index, op in enumerate(_draws())}
    reads = {name: _read(graph, variable) for name, variable in function.settings.items()}
    outputs = sorted(graph.structured_outputs[0])
    tensors = {f"{name}:0": name for name in function.inputs if name != "seed"}
    tensors |= {op.outputs[0].name: name for name, op in {**draws, **reads}.items()}
    with _quiet(), _refused():
        frozen = convert_variables_to_constants_v2(graph, lower_control_flow=False)
        definition = frozen.graph.as_graph_def()
        results = {tensor.name: name for tensor, name in zip(frozen.outputs, outputs, strict=False)}
        for op in (*draws.values(), *reads.values()):
            _make_input(next(node for node in definition.node if node.name == op.name), op.outputs[0])
        model, _ = import_module("tf2onnx.convert").from_graph_def(
            definition,
            input_names=list(tensors),
            output_names=list(results),
            opset=OPSET,
            custom_op_handlers={"Expm1": (_exp_minus_1, []), "Erfc": (_1_minus_erf, [])},
            tensors_to_rename=tensors | results,
        )
        content = model.SerializeToString()
    path.write_bytes(content)
    with _refused():
        session = import_module("onnxruntime").InferenceSession(str(path), providers=["CPUExecutionProvider"])
    taken = {x.name for x in session.get_inputs()}

    def inputs(given: Tensors) -> Tensors:
        _, drawn = graph(**{name: tf.constant(x) for name, x in given.items()})
        noise = {name: x.numpy() for name, x in zip(draws, drawn, strict=True)}
        settings = {name: variable.numpy() for name, variable in function.settings.items()}
        return {name: np.asarray(x) for name, x in {**given, **settings, **noise}.items() if name in taken}

    def run(given: Tensors) -> Tensors:
        with _refused():
            return dict(zip(outputs, session.run(outputs, given), strict=True))

    return Exported(path.name, inputs, run, {name: _NOISE[op.type](op) for name, op in draws.items()})


def _read(graph: Any, variable: tf.Variable) -> tf.Operation:
    """Return the operation of a traced function that reads a variable."""
    handle = next(inner for outer, inner in graph.graph.captures if outer is variable.handle)
    (operation,) = [op for op in graph.graph.get_operations() if op.type == "ReadVariableOp" and op.inputs[0] is handle]
    return operation


def _make_input(node: Any, tensor: tf.Tensor) -> None:
    """Turn a node of a graph's definition into an input."""
    node.op = "Placeholder"
    del node.input[:]
    node.attr.clear()
    node.attr["dtype"].type = tensor.dtype.as_datatype_enum
    node.attr["shape"].shape.CopyFrom(tensor.shape.as_proto())


def _exp_minus_1(graph: Any, node: Any, name: str, _: object) -> None:
    _replace(graph, node, name, "Exp", lambda power, one: [power, one])


def _1_minus_erf(graph: Any, node: Any, name: str, _: object) -> None:
    _replace(graph, node, name, "Erf", lambda erf, one: [one, erf])


def _replace(graph: Any, node: Any, name: str, op: str, parts: Callable[[Any, Any], list[Any]]) -> None:
    """Write an operation that ONNX lacks as a difference of 1 and an operation that it has."""
    types, shapes = node.output_dtypes, node.output_shapes
    graph.remove_node(name)
    one, known = graph.make_const(f"{name}_one", np.float32(1.0)), graph.make_node(op, node.input)
    difference = parts(known.output[0], one.output[0])
    graph.make_node("Sub", difference, name=name, outputs=node.output, shapes=shapes, dtypes=types)


@contextmanager
def _refused() -> Iterator[None]:
    """Turn errors of the converter and of ONNX Runtime into a sentence: both raise errors of many kinds."""
    try:
        yield
    except Exception as error:
        raise UserError(
            f"This run cannot be exported to ONNX; --format savedmodel can. The error: {shortened(str(error), 300)}"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the warnings of the converter, about functions that TensorFlow will remove, from the terminal."""
    level = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        yield
    finally:
        logging.disable(level)


def _compare(
    exported: Mapping[str, Exported], calls: Iterable[Call], action: ActionSpec
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Compare with calls of the original, and return the description of each function and of the comparison.

    Raises:
        UserError: too many rows differ.
    """
    described: dict[str, Any] = {}
    rows, differing, largest, worst = 0, 0, 0.0, ""
    for call in calls:
        function = exported[call.function]
        inputs = function.inputs(call.inputs)
        outputs = function.run(inputs)
        found = {name: difference(np.asarray(x), np.asarray(outputs[name])) for name, x in call.outputs.items()}
        misses = np.max(list(found.values()), 0)
        rows, differing = rows + len(misses), differing + int((misses > 1.0).sum())
        if misses.max() > largest:
            largest, worst = float(misses.max()), max(found, key=lambda name: found[name].max())
        if call.function not in described:
            described[call.function] = {
                "file": function.file,
                "inputs": [_described(name, x, call.function, action, function.noise) for name, x in inputs.items()],
                "outputs": [_described(name, x, call.function, action, {}) for name, x in outputs.items()],
            }
    if differing > ROWS * rows or not np.isfinite(largest):
        raise UserError(
            f"The export differs from the original, so it was not kept: {differing} of {rows} rows by more than the "
            f"tolerance, at most {largest:.3g} times it, in '{worst}'."
        )
    checked = {"calls": CALLS, "rows": rows, "tolerance": TOLERANCE, "rows_beyond": differing}
    return described, {**checked, "largest_in_tolerances": largest}


def difference(original: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return the largest difference of each row (N,), in units of the tolerance; infinite for other shapes or types."""
    rows = len(original)
    if (original.shape, original.dtype) != (found.shape, found.dtype):
        return np.full(rows, np.inf)
    if not original.size:
        return np.zeros(rows)
    a, b = (x.reshape(rows, -1).astype(np.float64) for x in (original, found))
    if original.dtype == np.uint8:
        mean: np.ndarray = np.abs(a - b).mean(1)
        return mean
    alike = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        apart = np.nan_to_num(np.abs(a - b) / (TOLERANCE * np.maximum(1.0, np.abs(a))), nan=np.inf)
    largest: np.ndarray = np.where(alike, 0.0, apart).max(1)
    return largest


def _described(name: str, tensor: Any, function: str, action: ActionSpec, noise: Mapping[str, str]) -> dict[str, Any]:
    array = np.asarray(tensor)
    text = noise.get(name) or meaning(name, function, action)
    return {"name": name, "dtype": str(array.dtype), "shape": list(array.shape), "meaning": text}
