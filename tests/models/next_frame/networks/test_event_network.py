from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.models.config import OptimizerConfig
from worldmodels.models.next_frame.heads import EventNetwork, SymlogReward, shifted
from worldmodels.models.optimizers import Optimizer
from worldmodels.models.variables import named_variables

SHAPE, ACTIONS = (40, 40, 3), 3


def build(shift: int = 0) -> EventNetwork:
    return EventNetwork(8, shift, SHAPE, ACTIONS, np.random.default_rng(2))


def scene(rows: list[int], columns: list[int], taken: list[bool]) -> tuple[tf.Tensor, tf.Tensor]:
    """Frames with a bright square of 2 x 2 pixels each, before and after it was taken, or not."""
    before = np.zeros((len(rows), *SHAPE), np.uint8)
    for i, (row, column) in enumerate(zip(rows, columns, strict=True)):
        before[i, row : row + 2, column : column + 2] = 255
    after = before * ~np.array(taken)[:, None, None, None]
    return tf.constant(before), tf.constant(after.astype(np.uint8))


def taken(action: int, rows: int) -> tf.Tensor:
    """The same action in all rows, as vectors."""
    return tf.one_hot([action] * rows, ACTIONS)


def test_an_event_looks_the_same_wherever_it_happens() -> None:
    network = build()
    # Places that differ by whole squares of 4 pixels, away from the edges.
    before, after = scene([16, 20, 20], [20, 16, 20], [True, True, False])
    summary = network(before, taken(0, 3), after).numpy()
    assert summary.shape == (3, network.summary_size)
    np.testing.assert_allclose(summary[0], summary[1], rtol=1e-5)
    assert np.abs(summary[0] - summary[2]).max() > 1e-3
    other = network(before, taken(1, 3), after).numpy()
    assert np.abs(summary - other).max() > 1e-3  # the action counts


def test_what_is_learned_in_one_corner_holds_in_the_others() -> None:
    network, head = build(), SymlogReward(16, 8, np.random.default_rng(3))
    optimizer = Optimizer(named_variables([network, head]), OptimizerConfig(learning_rate=3e-3))
    actions = taken(0, 8)
    before, after = scene([17, 17, 18, 18] * 2, [17] * 4 + [18] * 4, [True, False] * 4)
    reward = tf.constant([1.0, 0.0] * 4)
    for _ in range(150):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(head.loss(network(before, actions, after), reward, 0.0))
        optimizer.minimize(tape, loss)
    before, after = scene([21, 22, 17, 21], [17, 21, 21, 18], [True, False, True, False])
    found = head.reward(network(before, actions[:4], after)).numpy()
    np.testing.assert_allclose(found, [1, 0, 1, 0], atol=0.35)


def test_a_faint_change_of_a_busy_picture_is_found() -> None:
    network, head = build(), SymlogReward(16, 8, np.random.default_rng(3))
    optimizer = Optimizer(named_variables([network, head]), OptimizerConfig(learning_rate=3e-3))
    generator = np.random.default_rng(4)

    def batch(rows: int) -> tuple[tf.Tensor, tf.Tensor, np.ndarray]:
        """Frames of random colours; half of them become brighter by 40 of 255 in 4 x 4 pixels."""
        before = generator.integers(0, 200, (rows, *SHAPE)).astype(np.uint8)
        after, event = before.copy(), np.arange(rows) % 2
        for i in np.flatnonzero(event):
            row, column = generator.integers(4, 32, 2)
            after[i, row : row + 4, column : column + 4] += 40
        return tf.constant(before), tf.constant(after), event.astype(np.float32)

    @tf.function
    def learn(before: tf.Tensor, after: tf.Tensor, event: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(head.loss(network(before, taken(0, 16), after), event, 0.0))
        optimizer.minimize(tape, loss)

    for _ in range(60):
        learn(*batch(16))
    before, after, event = batch(64)
    found = head.reward(network(before, taken(0, 64), after)).numpy()
    assert np.mean((found > 0.5) == event) > 0.9


def test_images_are_moved_together_and_edges_repeated() -> None:
    images = tf.reshape(tf.range(2 * 4 * 4 * 1), (2, 4, 4, 1))
    seen = set()
    for i in range(30):
        moved = shifted(images, 1, tf.constant([i, 0])).numpy()
        rows = next(r for r in (-1, 0, 1) for c in (-1, 0, 1) if np.array_equal(moved, np_shifted(images, r, c)))
        columns = next(c for r in (-1, 0, 1) for c in (-1, 0, 1) if np.array_equal(moved, np_shifted(images, r, c)))
        seen.add((rows, columns))
    assert len(seen) == 9


def np_shifted(images: tf.Tensor, rows: int, columns: int) -> np.ndarray:
    padded = np.pad(images.numpy(), ((0, 0), (1, 1), (1, 1), (0, 0)), "edge")
    return padded[:, 1 + rows : 5 + rows, 1 + columns : 5 + columns]


def test_no_shift_outside_learning() -> None:
    network = build(shift=2)
    before, after = scene([4], [8], [True])
    action = taken(0, 1)
    np.testing.assert_array_equal(network(before, action, after), build()(before, action, after))
    moved = [network(before, action, after, tf.constant([i, 1])).numpy() for i in range(8)]
    assert any(np.abs(one - moved[0]).max() > 1e-4 for one in moved)


def test_frames_of_other_sides_are_continued_at_their_edges() -> None:
    network = EventNetwork(8, 0, (18, 15, 3), ACTIONS, np.random.default_rng(2))
    frames = np.random.default_rng(3).integers(0, 256, (2, 18, 15, 3)).astype(np.uint8)
    whole = np.concatenate([frames, frames[:, :-3:-1]], 1)  # 20 x 16: the last rows and the last column once more
    whole = np.concatenate([whole, whole[:, :, -1:]], 2)
    summary = network(tf.constant(frames), taken(1, 2), tf.constant(frames))
    larger = EventNetwork(8, 0, (20, 16, 3), ACTIONS, np.random.default_rng(2))
    np.testing.assert_array_equal(summary, larger(tf.constant(whole), taken(1, 2), tf.constant(whole)))
