"""Learning to predict without seeing: which steps of its training windows a model is not shown.

The one-step loss of an RSSM, the KL between posterior and prior, is content with a prior that says little of what
actions do. Where a latent is drawn from the prior, the error of the image reaches prior and memory as well: so the
model learns to predict many steps ahead, which is how it is used. Latent overshooting (Hafner et al. 2019, "Learning
latent dynamics for planning from pixels") compares latents over all distances; here each step is predicted once, over
a distance that is drawn, and an update takes 6 to 8 % more time.
"""

from __future__ import annotations

import tensorflow as tf

from worldmodels.models.devices import draw_rows


def choose_unseen(is_first: tf.Tensor, share: float, seed: tf.Tensor) -> tf.Tensor:
    """Return which steps of windows are predicted without being seen, bool (B, T).

    Each window is one of these with the probability `share`. Of such a window the first 1 to T - 1 steps are seen, any
    number as likely, and everywhere the first step of an episode, which nothing before it foretells.

    Args:
        is_first: bool (B, T).
        seed: int32 (2,); others may draw from it, too.
    """
    batch, steps = is_first.shape
    seeds = tf.random.split(tf.random.experimental.stateless_fold_in(seed, 2), 2)
    chosen = draw_rows(lambda shape: tf.random.stateless_uniform(shape, seeds[0]), (batch, 1)) < share
    last = max(steps, 2)  # a window of one step is seen
    seen = draw_rows(lambda shape: tf.random.stateless_uniform(shape, seeds[1], 1, last, tf.int32), (batch, 1))
    return chosen & (tf.range(steps) >= seen) & ~is_first
