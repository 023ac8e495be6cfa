"""Latents of patches: what holds in one place holds in all, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models import build_model
from worldmodels.models.config import ConvConfig, PatchConfig
from worldmodels.models.rssm.config import RSSMConfig

PATCHES = {"encoder": PatchConfig(patch=4, depth=8), "decoder": PatchConfig(patch=4, depth=8)}
CONFIG = RSSMConfig(recurrent=16, hidden=12, latents=32, classes=4, local_latents=True, **PATCHES)
SHAPE = (16, 16, 3)  # 4 x 4 patches, each with 2 latents of 4 classes
SHOWN, CHOICES = ObservationSpec.of(*SHAPE), ActionSpec(5)


@pytest.fixture(scope="module")
def model():
    return build_model(CONFIG, SHOWN, CHOICES, np.array([3, 7], np.int32))


@pytest.fixture
def images():
    return np.random.default_rng(0).integers(0, 256, (2, *SHAPE), np.uint8)


def said(model, images):
    """Return what patches say of their latents, (N, 4, 4, 8)."""
    return tf.reshape(model.local.statistics(model.encoder.image.see(tf.constant(images))), (-1, 4, 4, 8)).numpy()


def test_a_patch_speaks_for_its_own_latents_alone(model, images):
    changed = images.copy()
    changed[:, 4:8, 8:12] = 255 - changed[:, 4:8, 8:12]
    differs = (said(model, images) != said(model, changed)).any((0, 3))
    assert np.argwhere(differs).tolist() == [[1, 2]]


def test_what_is_said_moves_with_what_is_seen(model, images):
    moved = np.roll(images, (4, -4), (1, 2))
    np.testing.assert_allclose(said(model, moved), np.roll(said(model, images), (1, -1), (1, 2)), rtol=1e-5, atol=1e-6)


def test_latents_are_painted_where_they_are(model):
    latent = np.random.default_rng(1).normal(size=(1, 16, 8)).astype(np.float32)
    other = latent.copy()
    other[0, 6] += 1  # row 1, column 2
    one, another = (model.local(tf.reshape(x, (1, 128))).numpy() for x in (latent, other))
    assert one.shape == (16, 8)  # the decoder's units of each patch
    assert np.flatnonzero((one != another).any(1)).tolist() == [6]
    np.testing.assert_allclose(model.local(tf.reshape(latent[:, ::-1], (1, 128))), one[::-1], rtol=1e-5, atol=1e-6)


def test_they_enter_posterior_and_picture(model, images):
    """With the shared paths at zero, local ones alone decide."""
    observe = model.observe_sequence(
        tf.constant(images[:, None]), tf.zeros((2, 1), tf.int32), tf.ones((2, 1), bool), tf.constant([1, 2])
    )
    assert observe.latent.shape == (2, 1, 128)
    features = model.features(tf.nest.map_structure(lambda x: x[:, 0], observe))
    without = model.decoder.image(features)
    assert np.abs(model._painted(features) - without).max() > 1e-3


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"latents": 24}, "a multiple of the 16 patches. Received patches of 4 and 4 pixels, and 24 latents"),
        ({"classes": 0}, "categorical latents. Received an encoder of kind 'patch'.* and 0 classes"),
        ({"encoder": ConvConfig()}, "Received an encoder of kind 'conv'"),
        ({"decoder": PatchConfig(patch=8)}, "Received patches of 4 and 8 pixels"),
    ],
)
def test_layouts_without_patches_are_refused(changes, text):
    config = RSSMConfig(**{"latents": 32, "classes": 4, "local_latents": True, **PATCHES, **changes})
    with pytest.raises(ConfigError, match=text):
        config.spec(SHOWN, CHOICES)
