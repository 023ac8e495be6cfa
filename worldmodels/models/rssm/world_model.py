"""The recurrent state-space world model is DreamerV2's, with the parts and sizes of its configuration."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.models import devices, draws
from worldmodels.models.api import Latents
from worldmodels.models.graph import graph, update_graph
from worldmodels.models.optimizers import build_optimizer
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.models.rssm.dynamics import Dynamics, RSSMState
from worldmodels.models.rssm.latents import CategoricalLatents
from worldmodels.models.rssm.objectives import (
    REWARD_HEADS,
    ContinuationHead,
    add_in_pairs,
    balanced_kl,
    image_loss,
)
from worldmodels.models.rssm.observations import ObservationDecoder, ObservationEncoder, join_images, join_vectors
from worldmodels.models.rssm.picture import PAIRS, LearnedPicture, choose_pairs
from worldmodels.models.variables import load_variables, named_variables, save_variables


class RSSM:
    """A `WorldModel` (see `models/api.py` for the methods) whose state is an `RSSMState`."""

    def __init__(self, config: RSSMConfig, observation: ObservationSpec, action: ActionSpec, seed: np.ndarray):
        seeds = np.random.default_rng(np.asarray(seed).view(np.uint32))
        self.config, self.spec, self._devices = config, config.spec(observation, action), devices.current()
        self.encoder = ObservationEncoder(config, observation, seeds)
        self.dynamics = Dynamics(config, self.encoder.size, action, seeds)
        (features,) = self.spec.feature_shape
        self.decoder = ObservationDecoder(config, observation, features, seeds)
        reward_head = REWARD_HEADS[config.reward_distribution]
        self.reward_head = reward_head(config.heads, features, config.reward_transform, seeds, config.style)
        self.continuation_head = ContinuationHead(config.heads, features, seeds, config.style)
        heads = (self.reward_head, *([self.continuation_head] if config.predict_continuation else []))
        self.variables = named_variables([*self.encoder.layers(), self.dynamics, *self.decoder.layers(), *heads])
        self.optimizer = build_optimizer(self.variables, config.optimizer)
        self.picture = (
            LearnedPicture(config.picture_every, features, self.spec.observation_shape, seeds, config.optimizer)
            if config.picture_every
            else None
        )

    def initial(self, batch: int) -> RSSMState:
        return self.dynamics.initial(batch)

    @graph
    def observe(self, state, observation, previous_action, is_first, seed) -> RSSMState:
        observation = tf.nest.map_structure(lambda x: x[:, None], observation)
        states, _ = self._follow(observation, previous_action[:, None], is_first[:, None], seed, state)
        return tf.nest.map_structure(lambda x: x[:, 0], states)

    @graph
    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None) -> RSSMState:
        states, _ = self._follow(observations, previous_actions, is_first, seed, state)
        return states

    @graph
    def imagine(self, state, action, temperature, seed) -> RSSMState:
        noise = self.dynamics.latents.noise((tf.shape(action)[0],), seed)
        return self.dynamics.imagine(state, action, noise, temperature)

    @graph
    def imagine_latents(self, state, action, temperature, seed, held) -> tuple[RSSMState, Latents]:
        state = self.imagine(state, action, temperature, seed)
        drawn = self.observed_latents((), action, state)
        classes, latents = tf.where(held < 0, drawn.classes, held), cast(CategoricalLatents, self.dynamics.latents)
        # What was remembered does not depend on the newest latent, so nothing else changes.
        return state._replace(latent=latents.of_classes(classes)), drawn._replace(classes=classes)

    @graph
    def observed_latents(self, before, action, state) -> Latents:
        latents = cast(CategoricalLatents, self.dynamics.latents)
        return Latents(latents.probabilities(self.dynamics.prior(state.recurrent)), latents.classes(state.latent))

    def readable(self, state: RSSMState) -> RSSMState:
        return state

    @graph
    def features(self, state: RSSMState) -> tf.Tensor:
        return tf.concat([state.latent, state.recurrent], -1)

    @graph
    def frame(self, state: RSSMState, before=None) -> tf.Tensor:
        features = self.features(state)
        alone = self._alone(features)
        alone = self.decoder.first_image(alone)
        return alone if before is None or self.picture is None else self.picture.images(features, alone, before)

    @graph
    def vectors(self, state: RSSMState) -> dict[str, tf.Tensor]:
        if not self.decoder.vectors:
            return {}
        return self.decoder.split_vectors(self.decoder.vectors.vectors(self.features(state)))

    @graph
    def reward(self, state: RSSMState) -> tf.Tensor:
        return self.reward_head.reward(self.features(state))

    @graph
    def continuation(self, state: RSSMState) -> tf.Tensor:
        if not self.config.predict_continuation:
            return tf.ones(tf.shape(state.recurrent)[:1])
        return self.continuation_head.probability(self.features(state))

    def fit(self, batch: Batch, seed, weights=None) -> tuple[dict[str, tf.Tensor], RSSMState]:
        return self._fit_on_devices(batch, seed, weights, self._picture_is_due() and batch.is_first.shape[1] > 1)

    def _picture_is_due(self) -> bool:
        """Return whether the picture decoder learns from the next batch, too: a fact of Python, since an update without
        it is another graph."""
        picture = self.picture
        return picture is not None and (picture.every == 1 or int(self.optimizer.updates.numpy()) % picture.every == 0)

    @update_graph
    def _fit_on_devices(self, batch: Batch, seed, weights, paints: bool) -> tuple[dict[str, tf.Tensor], RSSMState]:
        return self._devices.run(lambda batch, weights: self._fit(batch, seed, weights, paints), (batch, weights))

    def _fit(self, batch: Batch, seed, weights, paints: bool) -> tuple[dict[str, tf.Tensor], RSSMState]:
        with tf.GradientTape() as tape:
            loss, metrics, states = self._loss(batch, seed, weights)
        gradients = self.optimizer.gradients(tape, loss)
        finite = gradients.finite
        if self.picture and paints:
            # Before anything changes: either both change or none.
            seed = draws.fold_in(seed, 1)
            # They are few, so each device learns from all of them.
            everything, features = devices.whole_batch((batch, self.features(states)))
            pairs = choose_pairs(everything, features, self._alone, PAIRS, seed)
            found, of_picture = self.picture.gradients(pairs)
            finite &= found.finite
            if self.picture.every > 1:
                # Its steps shrink as the model's do, by a schedule over the model's updates.
                self.picture.optimizer.updates.assign(self.optimizer.updates)
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
        """Return the pictures of states alone, uint8 (N, H, W, C)."""
        return self.decoder.image.images(self.decoder.image(features))

    def _follow(self, observations, previous_actions, is_first, seed, state=None):
        """Return states (B, T, ...) and the posterior's statistics (B, T, S)."""
        batch, steps = is_first.shape
        if state is None:
            state = self.initial(batch)
            is_first = tf.concat([tf.ones((batch, 1), tf.bool), is_first[:, 1:]], 1)
        embeddings = tf.reshape(self.encoder(self._rows(observations)), (batch, steps, self.encoder.size))
        noise = self.dynamics.latents.noise((steps, batch), seed)
        return self.dynamics.follow(state, embeddings, previous_actions, is_first, noise)

    def _rows(self, observations: Any) -> dict[str, tf.Tensor]:
        """Return the parts of observations, leading (B, T), as rows, leading B T."""
        parts = dict(self.spec.observation.parts)
        arrays = self.spec.observation.arrays(observations)
        return {name: tf.reshape(array, (-1, *parts[name].shape)) for name, array in arrays.items()}

    def _decoder_losses(self, arrays: dict[str, tf.Tensor], features: tf.Tensor) -> dict[str, tf.Tensor]:
        """Return the losses of images and of vectors, whichever are predicted, as scalars."""
        losses, spec = {}, self.decoder.spec
        if self.decoder.image:
            target = self.decoder.image.target(join_images(spec, arrays))
            losses["image"] = image_loss(self.decoder.image(features), target)
        if self.decoder.vectors:
            losses["vectors"] = tf.reduce_mean(self.decoder.vectors.loss(features, join_vectors(spec, arrays)))
        return losses

    def _taught(self, features: tf.Tensor, head: str) -> tf.Tensor:
        """Return the features as a head reads them: the state learns from it, or does not."""
        return features if head in self.config.gradient_heads else tf.stop_gradient(features)

    def _loss(self, batch: Batch, seed, weights) -> tuple[tf.Tensor, dict[str, tf.Tensor], RSSMState]:
        config = self.config
        # The action before the first step of a window is unknown; the state starts anew there anyway.
        previous_actions = tf.pad(batch.action[:, :-1], [[0, 0], [1, 0], *[[0, 0]] * (len(batch.action.shape) - 2)])
        states, posterior = self._follow(batch.observation, previous_actions, batch.is_first, seed)
        rows, posterior = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, x.shape[-1])), (states, posterior))
        prior = self.dynamics.prior(rows.recurrent)
        features = self.features(rows)

        losses = self._decoder_losses(self._rows(batch.observation), self._taught(features, "decoder"))
        reward = self.reward_head.loss(self._taught(features, "reward"), tf.reshape(batch.reward, (-1,)))
        losses["reward"] = _weighted_mean(reward, weights)
        latents = self.dynamics.latents
        each_free, mean_free = (0.0, config.free_nats) if config.free_average else (config.free_nats, 0.0)
        kl, kl_loss = balanced_kl(latents, posterior, prior, config.kl_balance, each_free)
        mean_kl = tf.reduce_mean(kl_loss)
        losses["kl"] = tf.maximum(devices.mean_over_devices(mean_kl), mean_free) if mean_free else mean_kl
        scales = {"reward": config.reward_scale, "kl": config.kl_scale}
        loss = add_in_pairs(scales.get(name, 1.0) * loss for name, loss in losses.items())
        if config.predict_continuation:
            continues = tf.reshape(1.0 - tf.cast(batch.is_terminal, tf.float32), (-1,))
            continuation = self.continuation_head.loss(self._taught(features, "continuation"), continues)
            losses["continuation"] = _weighted_mean(continuation, weights)
            loss += config.continuation_scale * losses["continuation"]
        means = {f"{name}_loss": loss for name, loss in losses.items()}
        means["kl"] = tf.reduce_mean(kl)
        means["prior_entropy"] = tf.reduce_mean(latents.entropy(prior))
        means["posterior_entropy"] = tf.reduce_mean(latents.entropy(posterior))
        return loss, means, tf.nest.map_structure(tf.stop_gradient, states)


def _weighted_mean(losses: tf.Tensor, weights: tf.Tensor | None) -> tf.Tensor:
    """Return the mean of losses (B T,) under the importance weights (B,) of their windows, or None for 1 each."""
    if weights is not None:
        losses = tf.repeat(weights, losses.shape[0] // weights.shape[0]) * losses
    return tf.reduce_mean(losses)
