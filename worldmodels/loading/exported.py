"""The functions of an export take and return named tensors; this module makes them of a run's parts, with their calls.

A state is a nest of tensors inside the package. Here each tensor of it has a name of its own, `state_...`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, cast

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import ModelActor, RandomActor, where_not
from worldmodels.acting.build import Parts
from worldmodels.acting.collect import Collector
from worldmodels.core.seeding import Streams, fold
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.envs import VectorEnv
from worldmodels.imagination.model_view import ModelView, Prediction
from worldmodels.models.api import SampledModel

Tensors = Mapping[str, Any]


class Function(NamedTuple):
    """A function of named tensors."""

    call: Callable[..., dict[str, Any]]
    """Takes the inputs as named arguments; may be called inside a `tf.function`."""
    inputs: dict[str, tf.TensorSpec]
    settings: Mapping[str, tf.Variable] = MappingProxyType({})
    """Variables that the call reads once, which become inputs of an ONNX file."""


class Call(NamedTuple):
    """One call of the original, with its outputs."""

    function: str
    """The name of the exported function that is to give the same."""
    inputs: Tensors
    outputs: Tensors


class Functions(Protocol):
    """The functions of one export, for N environments."""

    functions: Mapping[str, Function]

    def calls(self, env: VectorEnv, count: int) -> Iterator[Call]:
        """Yield `count` calls of the original in an environment, half of them at temperature 0."""


class PolicyFunctions:
    """The function of a policy: `step` takes an observation in and chooses an action."""

    def __init__(self, parts: Parts, num_envs: int) -> None:
        self._key = Streams(0).key("export")
        self._actor = ModelActor(parts.model, parts.agent, num_envs, self._key)
        self._observation, self._like = parts.model.spec.observation, self._state()
        inputs = _observation_specs(self._observation, num_envs) | _specs(_named("state", self._like))
        self.functions: Mapping[str, Function] = {"step": Function(self._step, inputs | _DRAWING)}

    def calls(self, env: VectorEnv, count: int) -> Iterator[Call]:
        collector = Collector(env, 0)
        for temperature in (1.0, 0.0):
            self._actor.reset(self._key, temperature)
            before = self._state()
            for index, (step, output) in enumerate(collector.steps(self._actor, count // 2)):
                seen = _arrays(self._observation, step.observation) | {"is_first": step.is_first}
                drawing = {"temperature": np.float32(temperature), "seed": fold(self._key, index)}
                after = self._state()
                outputs = _chosen(after, output.extras)
                yield Call("step", seen | _named("state", before) | drawing, outputs)
                before = after

    def _step(self, **inputs: tf.Tensor) -> dict[str, Any]:
        model, action, agent = (_nest("state", self._like, inputs)[name] for name in _MEMORY)
        observation, is_first = _observation(self._observation, inputs), inputs["is_first"]
        memory, _, extras = self._actor.observe_and_act(
            model, action, agent, observation, is_first, inputs["temperature"], inputs["seed"]
        )
        return _chosen(dict(zip(_MEMORY, memory, strict=True)), extras)

    def _state(self) -> dict[str, Any]:
        return dict(zip(_MEMORY, self._actor.memory, strict=True))


_MEMORY = ("model", "action", "agent")
"""The parts of an actor's memory."""


def _chosen(state: dict[str, Any], extras: Tensors) -> dict[str, Any]:
    return {"action": state["action"], **extras, **_named("next_state", state)}


class ModelFunctions:
    """The functions of a world model: `observe` takes an observation in, and `step` predicts the next one."""

    def __init__(self, parts: Parts, num_envs: int) -> None:
        self._model, self._view = parts.world_model, ModelView(parts.world_model)
        self._spec, self._num_envs = self._model.spec, num_envs
        self._like = self._state(self._model.initial(num_envs), self._black())
        state = _specs(_named("state", self._like))
        action = {"action": tf.TensorSpec((num_envs, *self._spec.action.shape), self._spec.action.dtype)}
        observed = _observation_specs(self._spec.observation, num_envs) | {"seed": _DRAWING["seed"]}
        self.functions: Mapping[str, Function] = {
            "observe": Function(self._observe, observed | action | state),
            "step": Function(self._step, action | state | _DRAWING, self._settings()),
        }

    def calls(self, env: VectorEnv, count: int) -> Iterator[Call]:
        key, actor = Streams(0).key("export"), RandomActor(self._spec.action, Streams(0).generator("export"))
        state, action = _named("state", self._like), self._spec.action.zeros(self._num_envs)
        for index, (step, output) in enumerate(Collector(env, 0).steps(actor, count // 2)):
            seen = _arrays(self._spec.observation, step.observation) | {"is_first": step.is_first, "action": action}
            call = _call("observe", self._observe, seen | {"seed": fold(key, 2 * index)} | state)
            yield call
            state, action = {name: call.outputs[f"next_{name}"] for name in state}, output.action
            drawing = {"temperature": np.float32(index % 2), "seed": fold(key, 2 * index + 1)}
            yield _call("step", self._step, {"action": action} | state | drawing)

    def _observe(self, **inputs: tf.Tensor) -> dict[str, Any]:
        before, observation = _nest("state", self._like, inputs), _observation(self._spec.observation, inputs)
        is_first, seed = inputs["is_first"], inputs["seed"]
        state = self._model.observe(before["model"], observation, inputs["action"], is_first, seed)
        prediction = self._view.predict(state)
        if self._spec.copies:
            prediction = prediction._replace(frame=self._view.seen_frame(state, before["picture"], is_first))
        return _predicted(prediction) | _named("next_state", self._state(state, self._spec.image_of(observation)))

    def _step(self, **inputs: tf.Tensor) -> dict[str, Any]:
        before = _nest("state", self._like, inputs)
        drawing = (inputs["action"], inputs["temperature"], inputs["seed"])
        state, prediction = self._view.step(before["model"], *drawing, before.get("picture"))
        return _predicted(prediction) | _named("next_state", self._state(state, prediction.frame))

    def _settings(self) -> dict[str, tf.Variable]:
        return {"calls": cast(SampledModel, self._model).calls} if self._spec.calls else {}

    def _state(self, state: Any, picture: Any) -> dict[str, Any]:
        """Return a model's state, and the picture from which a model that copies paints the next one."""
        return {"model": state, **({"picture": picture} if self._spec.copies else {})}

    def _black(self) -> Any:
        shape = self._spec.image_of(self._spec.observation.zeros(self._num_envs)).shape
        return tf.zeros(shape, tf.uint8)


class BothFunctions(ModelFunctions):
    """The functions of a world model, and `act`: the policy chooses an action at a state that `observe` gave."""

    def __init__(self, parts: Parts, num_envs: int) -> None:
        super().__init__(parts, num_envs)
        self._agent = parts.agent
        self._acting = {"agent": parts.agent.initial(num_envs), "model": self._like["model"]}
        is_first = {"is_first": tf.TensorSpec((num_envs,), tf.bool)}
        act = Function(self._act, is_first | _specs(_named("state", self._acting)) | _DRAWING)
        self.functions = {**self.functions, "act": act}

    def calls(self, env: VectorEnv, count: int) -> Iterator[Call]:
        key, memory = Streams(0).key("export of a policy"), _named("state", {"agent": self._acting["agent"]})
        for index, call in enumerate(super().calls(env, count)):
            yield call
            if call.function == "observe":
                drawing = {"temperature": np.float32(index // 2 % 2), "seed": fold(key, index)}
                state = {name: call.outputs[f"next_{name}"] for name in _named("state", {"model": self._like["model"]})}
                chosen = _call("act", self._act, {"is_first": call.inputs["is_first"]} | state | memory | drawing)
                yield chosen
                memory = {name: chosen.outputs[f"next_{name}"] for name in memory}

    def _act(self, **inputs: tf.Tensor) -> dict[str, Any]:
        before, is_first = _nest("state", self._acting, inputs), inputs["is_first"]
        memory = tf.nest.map_structure(lambda x: where_not(is_first, x), before["agent"])
        features, drawing = self._model.features(before["model"]), (inputs["temperature"], inputs["seed"])
        action, memory, extras = self._agent.act(features, memory, *drawing)
        return {"action": action, **extras, **_named("next_state", {"agent": memory})}


What = Literal["policy", "model", "both"]
KINDS: Mapping[What, Callable[[Parts, int], Functions]] = {
    "policy": PolicyFunctions,
    "model": ModelFunctions,
    "both": BothFunctions,
}


def _call(name: str, function: Callable[..., dict[str, Any]], inputs: Tensors) -> Call:
    return Call(name, inputs, function(**{name: tf.convert_to_tensor(x) for name, x in inputs.items()}))


def _predicted(prediction: Prediction) -> dict[str, Any]:
    frame = {} if isinstance(prediction.frame, tuple) else {"frame": prediction.frame}
    vectors = {_part("vector", name): x for name, x in prediction.vectors.items()}
    return {**frame, **vectors, "reward": prediction.reward, "continuation": prediction.continuation}


_DRAWING = {"temperature": tf.TensorSpec((), tf.float32), "seed": tf.TensorSpec((2,), tf.int32)}


def _named(name: str, nest: Any) -> dict[str, Any]:
    """Return the tensors of a nest by names that begin with `name`, in the order of `tf.nest`."""
    if isinstance(nest, Mapping):
        parts = sorted(nest.items())
    elif isinstance(nest, (tuple, list)):
        parts = list(zip(getattr(nest, "_fields", range(len(nest))), nest, strict=True))
    else:
        return {name: nest}
    return {key: leaf for part, inner in parts for key, leaf in _named(_part(name, str(part)), inner).items()}


def _nest(name: str, like: Any, inputs: Tensors) -> Any:
    """Return the nest that `_named` took apart."""
    return tf.nest.pack_sequence_as(like, [inputs[key] for key in _named(name, like)])


def _part(name: str, part: str) -> str:
    """Return the name of a part, of letters, digits and underscores; the only part of a whole has no name."""
    return re.sub(r"\W", "_", f"{name}_{part}", flags=re.ASCII) if part else name


def _specs(tensors: Tensors) -> dict[str, tf.TensorSpec]:
    return {name: tf.TensorSpec(x.shape, x.dtype) for name, x in tensors.items()}


def _observation_specs(spec: ObservationSpec, num_envs: int) -> dict[str, tf.TensorSpec]:
    parts = {_part("observation", name): tf.TensorSpec((num_envs, *x.shape), x.dtype) for name, x in spec.parts}
    return parts | {"is_first": tf.TensorSpec((num_envs,), tf.bool)}


def _arrays(spec: ObservationSpec, observation: Any) -> dict[str, Any]:
    return {_part("observation", name): array for name, array in spec.arrays(observation).items()}


def _observation(spec: ObservationSpec, inputs: Tensors) -> Any:
    return spec.pack({name: inputs[_part("observation", name)] for name, _ in spec.parts})


_MEANINGS = {
    "observation": "as the environment gives it: images from 0 to 255, vectors in its own units",
    "is_first": "whether an episode begins; the state then has no influence, so zeros will do",
    "temperature": "0 takes the most probable, 1 samples",
    "calls": "of the network, which draw the image at a temperature above 0",
    "seed": "of the random draws: other numbers at each call",
    "logits": "of the choices, at temperature 1",
    "gaussian": "means, then logarithms of the standard deviations, of the action's numbers at temperature 1",
    "truncated_normal": "the parameters of the truncated normal distribution of the action's numbers",
    "squashed_normal": "the parameters of the normal distribution of the action's numbers before tanh",
    "value": "the return that the agent expects",
    "frame": "the predicted image, from 0 to 255",
    "vector": "a predicted part of the observation, in the environment's units",
    "reward": "the reward that arrives with the state, in the environment's units",
    "continuation": "the probability that the episode goes on after the state",
    "state": "of the episode before this call: zeros, then the `next_state` of the call before",
    "next": "the state after this call",
}


def meaning(name: str, function: str, action: ActionSpec) -> str:
    """Return what an input or an output of an exported function holds, with its unit."""
    if name == "action":
        led = ", which led to the observation" if function == "observe" else ""
        if action.is_discrete:
            return f"{action}, counted from 0{led}"
        return f"{action}, as numbers from -1 to 1; clip them, and scale them to these bounds{led}"
    return _MEANINGS.get(name) or _MEANINGS[name.split("_")[0]]
