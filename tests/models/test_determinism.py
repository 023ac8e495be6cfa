"""No sum in the graph of an update may depend on which thread comes first (see `graph.make_deterministic`)."""

from __future__ import annotations

from collections import Counter

import pytest
import tensorflow as tf

from worldmodels.models.config import AdafactorConfig
from worldmodels.models.next_frame.config import MotionOutputConfig, PatchNetworkConfig

PATCHES = {
    "network": PatchNetworkConfig(patch=4, depth=6, bottleneck=6, blocks=1),
    "output": MotionOutputConfig(motions=1, depth=6),
}
VIEWS = {"Identity", "IdentityN", "Reshape", "ExpandDims", "Squeeze", "EnsureShape", "StopGradient"}


def sums_that_depend_on_timing(nodes) -> list[str]:
    """AddN of three or more operands of which one is needed elsewhere too; views share their operand's buffer."""
    by_name = {node.name: node for node in nodes}

    def buffer(name: str) -> str:
        node = by_name.get(name.split(":")[0])
        return buffer(node.input[0]) if node is not None and node.op in VIEWS else name

    def operands(node) -> list[str]:
        return [buffer(name) for name in node.input if not name.startswith("^")]

    uses = Counter(name for node in nodes if node.op not in VIEWS for name in operands(node))
    sums = [node for node in nodes if node.op == "AddN" and len(operands(node)) > 2]
    return [node.name for node in sums if any(uses[name] > 1 for name in operands(node))]


def risky(function) -> list[str]:
    graph = tf.function(function, autograph=False).get_concrete_function().graph.as_graph_def()
    bodies = [graph.node, *(body.node_def for body in graph.library.function)]
    return [name for nodes in bodies for name in sums_that_depend_on_timing(nodes)]


@pytest.mark.parametrize("blocks", [1, 2])
def test_the_update_of_the_model(build, batch, seed, blocks):
    model = build(blocks=blocks, uniform_mix=0.01, free_nats=0.1)
    assert risky(lambda: model.fit(batch, seed)) == []


def test_the_update_of_a_model_that_copies(build, batch, seed):
    model = build(picture_every=1)
    assert risky(lambda: model.fit(batch, seed)) == []


@pytest.mark.parametrize("layout", [{}, PATCHES], ids=["conv", "patch"])
@pytest.mark.parametrize("kind", ["deterministic", "stochastic_discrete"])
def test_the_update_of_a_next_frame_model(build_next_frame, window, seed, kind, layout):
    # Adam's own operations are checked above; Adafactor's are more.
    model = build_next_frame(kind, optimizer=AdafactorConfig(), pixel_noise=0.1, **layout)
    assert risky(lambda: model.fit(window, seed)) == []


def test_such_a_sum_is_found():
    x = tf.constant([1.0])

    def shared():
        a, b, c = tf.sin(x), tf.cos(x), tf.exp(x)
        return tf.add_n([a, b, c]), tf.reshape(b, (1, 1)) * 2.0

    def unshared():
        return tf.add_n([tf.sin(x), tf.cos(x), tf.exp(x)])

    assert len(risky(shared)) == 1
    assert risky(unshared) == []
