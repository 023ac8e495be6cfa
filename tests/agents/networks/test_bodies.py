from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.networks.bodies import BodySettings, build_body
from worldmodels.core.specs import ArraySpec, ObservationSpec
from worldmodels.models.config import HeadConfig, LayerStyle

SETTINGS = BodySettings("small", HeadConfig(1, 8), LayerStyle(activation="tanh"))
MIXED = ObservationSpec((("eye", ArraySpec((9, 8, 2))), ("touch", ArraySpec((3,))), ("self", ArraySpec((2,)))))


def build(spec: ObservationSpec, settings: BodySettings = SETTINGS):
    return build_body(settings, spec, np.random.default_rng(0))


def test_a_vector_goes_through_its_layers():
    body = build(ObservationSpec.of(3))
    body.layers[0].dense[0].kernel.assign(tf.ones((3, 8)))
    assert body.size == 8
    np.testing.assert_allclose(body(tf.constant([[0.1, 0.2, 0.3]])), np.full((1, 8), np.tanh(0.6)), rtol=1e-5)


def test_without_layers_a_vector_stays_as_it_is():
    body = build(ObservationSpec.of(3), SETTINGS._replace(vectors=HeadConfig(0, 8)))
    assert body.size == 3
    assert body(tf.constant([[1.0, 2.0, 3.0]])).numpy().tolist() == [[1, 2, 3]]


def test_a_dictionary_is_an_image_network_beside_one_body_of_all_vectors():
    body = build(MIXED)
    assert body.size == 128 + 8
    random = np.random.default_rng(0)
    features = {
        "eye": tf.constant(random.integers(0, 256, (1, 9, 8, 2)), tf.uint8),
        "touch": tf.constant([[1.0, 2.0, 3.0]]),
        "self": tf.constant([[4.0, 5.0]]),
    }
    seen = body(features).numpy()
    assert seen.shape == (1, 136)
    for name, changed in (("eye", range(128)), ("touch", range(128, 136)), ("self", range(128, 136))):
        other = body(features | {name: tf.zeros_like(features[name])}).numpy()
        assert set(np.flatnonzero(other[0] != seen[0])) <= set(changed)
        assert (other != seen).any()


@pytest.mark.parametrize(("names", "size"), [(["eye"], 128), (["touch", "self"], 8)])
def test_a_dictionary_may_hold_one_kind_alone(names, size):
    spec = ObservationSpec(tuple((name, part) for name, part in MIXED.parts if name in names))
    assert build(spec).size == size
    assert build(spec)(spec.zeros(4)).shape == (4, size)


def test_weights_have_names_of_their_own():
    two = ObservationSpec((("left/eye", ArraySpec((9, 8, 1))), ("right", ArraySpec((9, 8, 1)))))
    paths = [weight.path for weight in build(two).trainable_weights]
    assert len(set(paths)) == len(paths) == 12
    assert {"image_0/small/conv_0/kernel", "image_1/small/conv_0/kernel"} < set(paths)
