"""Operations counted by hand for tiny layers."""

from __future__ import annotations

from speed import flops

from worldmodels.agents.dreamer.config import ActorCriticConfig
from worldmodels.models.config import ConvConfig, HeadConfig, PatchConfig
from worldmodels.models.rssm.config import RSSMConfig

SHAPE, ACTIONS = (32, 16, 3), 5
PATCH, HEAD = PatchConfig(patch=8, depth=2), HeadConfig(layers=1, units=2)
MODEL = RSSMConfig(recurrent=2, hidden=3, latents=2, classes=2, encoder=PATCH, decoder=PATCH, heads=HEAD)
AGENT = ActorCriticConfig(actor=HEAD, critic=HEAD, horizon=3)


def test_dense_layers_multiply_and_add_once_for_each_weight():
    assert flops.dense(3, 4, 5) == 2 * (12 + 20)


def test_the_patch_encoder_reads_each_patch_and_each_square_of_patches():
    assert flops.encoder(PATCH, SHAPE) == 8 * 2 * 192 * 2 + 2 * 2 * 8 * 4


def test_the_patch_decoder_paints_from_six_features():
    assert flops.decoder(PATCH, 6, SHAPE) == 2 * 6 * 8 + 2 * 2 * 4 * 8 + 8 * 2 * 2 * 192


def test_the_convolutions_of_depth_1():
    conv = ConvConfig(depth=1)
    assert flops.encoder(conv, (64, 64, 3)) == 961 * 96 + 196 * 64 + 36 * 256 + 4 * 1024
    assert flops.decoder(conv, 6, (64, 64, 3)) == 384 + 6400 + 25 * 400 + 169 * 144 + 900 * 216


def test_a_state_follows_from_latent_action_and_image():
    recurrence = 2 * (4 + 5) * 3 + 2 * (3 + 2) * 6
    posterior = 2 * ((2 + 8) * 3 + 3 * 4)
    assert flops.recurrence(MODEL, ACTIONS) == recurrence == 114
    assert flops.observe(MODEL, SHAPE, ACTIONS) == 6272 + recurrence + posterior == 6470


def test_an_update_is_three_forward_passes():
    assert flops.prior(MODEL) == 36
    assert flops.fit(MODEL, SHAPE, ACTIONS) == 3 * (6470 + 36 + 6368 + 2 * 28)


def test_a_policy_update_imagines_reads_and_learns():
    imagined, read, learned = 3 * (114 + 36) + 4 * 44, 4 * (2 * 28 + 28), 3 * 3 * (44 + 28)
    assert flops.improve(MODEL, AGENT, ACTIONS) == imagined + read + learned == 1610


def test_a_policy_step_observes_and_acts():
    assert flops.act(MODEL, AGENT, SHAPE, ACTIONS) == 6470 + 44 + 28
