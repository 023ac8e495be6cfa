"""The recurrent state-space world model: DreamerV2's, with the parts and sizes that the configuration gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.models.build_optimizer import build_optimizer
from worldmodels.models.decoders import build_decoder
from worldmodels.models.encoders import build_encoder
from worldmodels.models.graph import graph
from worldmodels.models.rssm.cell import Dynamics, RSSMState
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.models.rssm.learned_picture import LearnedPicture, choose_pairs
from worldmodels.models.rssm.local_latents import LocalLatents
from worldmodels.models.rssm.objectives import (
    REWARD_HEADS,
    ContinuationHead,
    HarmoniousBalance,
    balanced_kl,
    image_loss,
    moved_pixels,
)
from worldmodels.models.variables import load_variables, named_variables, save_variables

BALANCED = ("image", "reward", "kl")
"""The losses that a harmonious balance weighs; ends of episodes are about as rare everywhere."""


class RSSM:
    """A `WorldModel` (see `models/api.py` for the methods) whose state is an `RSSMState`."""

    def __init__(self, config: RSSMConfig, observation: ObservationSpec, action: ActionSpec, seed: np.ndarray):
        seeds = np.random.default_rng(np.asarray(seed).view(np.uint32))
        self.config, self.spec = config, config.spec(observation, action)
        observation_shape = self.spec.observation_shape
        self.encoder = build_encoder(config.encoder, observation_shape, seeds, config.style)
        self.dynamics = Dynamics(config, self.encoder.size, self.spec.num_actions, seeds)
        (features,) = self.spec.feature_shape
        self.decoder = build_decoder(config.decoder, features, observation_shape, seeds, config.style)
        reward_head = REWARD_HEADS[config.reward_distribution]
        self.reward_head = reward_head(config.heads, features, config.reward_transform, seeds, config.style)
        self.continuation_head = ContinuationHead(config.heads, features, seeds, config.style)
        self.local = self._build_local(seeds) if config.local_latents else None
        layers = (self.encoder, self.dynamics, self.decoder, self.local, self.reward_head, self.continuation_head)
        self.variables = named_variables(layer for layer in layers if layer)
        self.balance = HarmoniousBalance(BALANCED) if config.balance == "harmonious" else None
        if self.balance:
            self.variables |= {f"balance/{name}": scale for name, scale in self.balance.logarithms.items()}
        self.optimizer = build_optimizer(self.variables, config.optimizer)
        self.picture = (
            LearnedPicture(config.picture, features, observation_shape, seeds, config.optimizer)
            if config.picture
            else None
        )

    def _build_local(self, seeds: np.random.Generator) -> LocalLatents:
        patches = math.prod(self.encoder.grid)
        return LocalLatents(
            patches, self.dynamics.latents.size, self.encoder.depth, self.decoder.depth, seeds, self.config.style
        )

    def initial(self, batch: int) -> RSSMState:
        return self.dynamics.initial(batch)

    @graph
    def observe(self, state, observation, previous_action, is_first, seed) -> RSSMState:
        states, _ = self._follow(observation[:, None], previous_action[:, None], is_first[:, None], seed, state)
        return tf.nest.map_structure(lambda x: x[:, 0], states)

    @graph
    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None) -> RSSMState:
        states, _ = self._follow(observations, previous_actions, is_first, seed, state)
        return states

    @graph
    def imagine(self, state, action, temperature, seed) -> RSSMState:
        noise = self.dynamics.latents.noise((tf.shape(action)[0],), seed)
        return self.dynamics.imagine(state, action, noise, temperature)

    def readable(self, state: RSSMState) -> RSSMState:
        return state

    @graph
    def features(self, state: RSSMState) -> tf.Tensor:
        return tf.concat([state.latent, state.recurrent], -1)

    @graph
    def frame(self, state: RSSMState, before=None) -> tf.Tensor:
        features = self.features(state)
        alone = self._alone(features)
        return alone if before is None or self.picture is None else self.picture.images(features, alone, before)

    @graph
    def reward(self, state: RSSMState) -> tf.Tensor:
        return self.reward_head.reward(self.features(state))

    @graph
    def continuation(self, state: RSSMState) -> tf.Tensor:
        return self.continuation_head.probability(self.features(state))

    @graph
    def fit(self, batch: Batch, seed, weights=None) -> tuple[dict[str, tf.Tensor], RSSMState]:
        with tf.GradientTape() as tape:
            loss, metrics, states = self._loss(batch, seed, weights)
        gradients = self.optimizer.gradients(tape, loss)
        finite = gradients.finite
        if self.picture and batch.is_first.shape[1] > 1:
            # Before anything changes: either both change or none.
            seed = tf.random.experimental.stateless_fold_in(seed, 1)
            pairs = choose_pairs(batch, self.features(states), self._alone, self.picture.count, seed)
            found, of_picture = self.picture.gradients(pairs)
            finite &= found.finite
            self.picture.optimizer.apply(found, finite)
            metrics |= of_picture
        self.optimizer.apply(gradients, finite)
        metrics |= {"loss": loss, "gradient_norm": gradients.norm, "finite": tf.cast(finite, tf.float32)}
        return {f"model/{name}": value for name, value in metrics.items()}, states

    def save(self) -> dict[str, Any]:
        picture = {"picture": self.picture.save()} if self.picture else {}
        return {"weights": save_variables(self.variables), "optimizer": self.optimizer.save(), **picture}

    def load(self, tree: dict[str, Any]) -> None:
        if self.picture:
            self.picture.load(tree.get("picture", {}))
        load_variables(self.variables, tree["weights"], "the world model")
        self.optimizer.load(tree["optimizer"])

    def _alone(self, features: tf.Tensor) -> tf.Tensor:
        """Return the images that states alone say, uint8 (N, H, W, C)."""
        return self.decoder.images(self._painted(features))

    def _painted(self, features: tf.Tensor) -> tf.Tensor:
        """Return the decoder's prediction."""
        if not self.local:
            return self.decoder(features)
        return self.decoder(features, self.local(features[:, : self.local.size]))

    def _follow(self, observations, previous_actions, is_first, seed, state=None):
        """Return posterior states (B, T, ...) and statistics (B, T, S)."""
        batch, steps = is_first.shape
        if state is None:
            state = self.initial(batch)
            is_first = tf.concat([tf.ones((batch, 1), tf.bool), is_first[:, 1:]], 1)
        images = tf.reshape(observations, (-1, *self.spec.observation_shape))
        if self.local:
            seen = self.encoder.see(images)
            embeddings = self.encoder.join(seen)
            local = tf.reshape(self.local.statistics(seen), (batch, steps, self.local.size))
        else:
            embeddings, local = self.encoder(images), None
        embeddings = tf.reshape(embeddings, (batch, steps, self.encoder.size))
        noise = self.dynamics.latents.noise((steps, batch), seed)
        return self.dynamics.follow(state, embeddings, previous_actions, is_first, noise, local)

    def _pixel_weights(self, batch: Batch) -> tf.Tensor | None:
        """Return the weights of pixels in the layout of the decoder's target; None where all count alike."""
        if not self.config.moved_scale:
            return None
        moved = moved_pixels(batch.observation, batch.is_first)
        moved = 0.5 + self.decoder.target(tf.reshape(moved, (-1, *self.spec.observation_shape)))  # 0 or 1
        weights = 1.0 + self.config.moved_scale * moved
        return weights / tf.reduce_mean(weights)

    def _loss(self, batch: Batch, seed, weights) -> tuple[tf.Tensor, dict[str, tf.Tensor], RSSMState]:
        config = self.config
        # The action before the first step of a window is unknown; the state starts anew there anyway.
        previous_actions = tf.pad(batch.action[:, :-1], [[0, 0], [1, 0]])
        states, posterior = self._follow(batch.observation, previous_actions, batch.is_first, seed)
        rows, posterior = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, x.shape[-1])), (states, posterior))
        prior = self.dynamics.prior(rows.recurrent)
        features = self.features(rows)

        images = tf.reshape(batch.observation, (-1, *self.spec.observation_shape))
        image = image_loss(self._painted(features), self.decoder.target(images), self._pixel_weights(batch))
        reward = self.reward_head.loss(features, tf.reshape(batch.reward, (-1,)))
        continues = tf.reshape(1.0 - tf.cast(batch.is_terminal, tf.float32), (-1,))
        continuation = self.continuation_head.loss(features, continues)
        if weights is not None:
            weights = tf.repeat(weights, batch.reward.shape[1])
            reward, continuation = weights * reward, weights * continuation
        latents = self.dynamics.latents
        kl, kl_loss = balanced_kl(latents, posterior, prior, config.kl_balance, config.free_nats)
        parts = {"reward": reward, "continuation": continuation, "kl": kl_loss}
        means = {"image_loss": image} | {f"{name}_loss": tf.reduce_mean(value) for name, value in parts.items()}
        weighed = {
            "image": means["image_loss"],
            "reward": config.reward_scale * means["reward_loss"],
            "kl": config.kl_scale * means["kl_loss"],
        }
        balanced = self.balance(weighed) if self.balance else (weighed["image"] + weighed["reward"]) + weighed["kl"]
        loss = balanced + config.continuation_scale * means["continuation_loss"]
        means["kl"] = tf.reduce_mean(kl)
        means["prior_entropy"] = tf.reduce_mean(latents.entropy(prior))
        means["posterior_entropy"] = tf.reduce_mean(latents.entropy(posterior))
        return loss, means, tf.nest.map_structure(tf.stop_gradient, states)
