"""Several devices of one machine share an update: each computes it for its own rows of the batch.

    devices = current()                    where a model or an agent is built, inside `building_on`
    devices.run(update, (batch, weights))  calls `update` on each device, with its rows

It is TensorFlow's MirroredStrategy: each device holds all weights and optimizers. The copies stay equal, since all
devices apply the same mean gradient (`mean_over_devices`, in `Descent.gradients`). A loss that is a mean over rows
needs no more. Other numbers of the whole batch have functions of their own: sums (`sum_over_devices`), all rows
(`whole_batch`), and the random numbers of one device (`draw_rows`). So the numbers are those of one device, except for
the order of sums. On one device each of these functions is the plain operation, and adds nothing to a graph.

Only `draw_rows` may stand in a loop or a branch of a graph: devices cannot communicate there.

TensorFlow computes on the first GPU, or on the processor without one.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, NamedTuple

import tensorflow as tf

from worldmodels.core.errors import ConfigError
from worldmodels.core.processor import Processor, this_processor

FIRST_WITH_BFLOAT16 = (8, 0)
"""Compute capability from which NVIDIA's GPUs multiply in bfloat16."""


def has_gpu() -> bool:
    """Return whether TensorFlow finds a GPU."""
    return bool(tf.config.list_physical_devices("GPU"))


def gpu_names() -> list[str]:
    """Return the names of all GPUs that TensorFlow finds, in its order."""
    return [details.get("device_name", "GPU") for details in _gpus()]


def computing_processor() -> Processor:
    """Return the first GPU, or this machine's processor if TensorFlow finds no GPU."""
    if not has_gpu():
        return this_processor()
    capability = _gpus()[0].get("compute_capability", (0, 0))
    return Processor(gpu_names()[0], "GPU bfloat16" if capability >= FIRST_WITH_BFLOAT16 else "GPU")


def wait_for_gpu() -> None:
    """Wait until all computation is finished: a GPU continues to work after the call of a graph returns."""
    tf.test.experimental.sync_devices()


def _gpus() -> list[dict[str, Any]]:
    return [tf.config.experimental.get_device_details(gpu) for gpu in tf.config.list_physical_devices("GPU")]


class BatchShare(NamedTuple):
    """The share of a batch that belongs to the device for which a graph is being made."""

    device: int
    """Its number, from 0."""
    devices: int
    """Their number."""


_share: ContextVar[BatchShare | None] = ContextVar("share", default=None)


class Devices:
    """The devices on which a model or an agent learns: the first GPUs, or without one the first logical CPUs."""

    def __init__(self, count: int = 1):
        self.count = count
        self._strategy: Any = None
        if count > 1:
            kind = "GPU" if has_gpu() else "CPU"
            # By itself TensorFlow would add up CPUs by AddN, which does not repeat for three or more.
            sums = None if kind == "GPU" else tf.distribute.ReductionToOneDevice(accumulation_fn=_add_in_order)
            self._strategy = tf.distribute.MirroredStrategy([f"{kind}:{i}" for i in range(count)], sums)

    def scope(self) -> AbstractContextManager[Any]:
        """Return the context in which variables have to be made."""
        return self._strategy.scope() if self._strategy else nullcontext()

    def run(self, update: Callable[..., Any], rows: tuple, axis: int = 0) -> Any:
        """Return `update(*rows)`, done by all devices together; inside of another such call the device does it alone.

        Args:
            update: returns a nest of tensors; scalars are figures of a device's rows, or the same on all.
            rows: nests of tensors, or of None, whose first axis is divided among the devices.
            axis: of the tensors returned, along which those of all devices are put together; scalars are averaged.

        Raises:
            ConfigError: there are not as many rows for each device.
        """
        if self._strategy is None or _share.get() is not None:
            return update(*rows)
        shares = [self._share_of(rows, index) for index in range(self.count)]  # before anything is sent

        def on_one_device() -> Any:
            index = int(tf.get_static_value(tf.distribute.get_replica_context().replica_id_in_sync_group))
            token = _share.set(BatchShare(index, self.count))
            try:
                return update(*shares[index])
            finally:
                _share.reset(token)

        return tf.nest.map_structure(lambda x: self._joined(x, axis), self._strategy.run(on_one_device))

    def _share_of(self, rows: tuple, index: int) -> tuple:
        """Return the rows of one device."""

        def share(x: tf.Tensor | None) -> tf.Tensor | None:
            if x is None:
                return None
            if x.shape[0] % self.count:
                raise ConfigError(
                    f"devices is {self.count}: each device takes as many rows of an update as the others, so "
                    f"{self.count} must divide them. Received an update with {x.shape[0]} rows."
                )
            size = x.shape[0] // self.count
            return x[index * size : (index + 1) * size]

        return tf.nest.map_structure(share, rows)

    def _joined(self, x: Any, axis: int) -> Any:
        values = self._strategy.experimental_local_results(x)
        if len(values) == 1 or values[0].dtype == tf.bool:  # the same on all
            return values[0]
        return _add_in_order(values) / self.count if values[0].shape.rank == 0 else tf.concat(values, axis)


_building: ContextVar[Devices | None] = ContextVar("devices", default=None)


@contextmanager
def building_on(count: int) -> Iterator[None]:
    """Build models and agents inside for `count` devices.

    Variables that are made inside may change only within `Devices.run`, or by `assign`.
    """
    devices = Devices(count)
    token = _building.set(devices)
    try:
        with devices.scope():
            yield
    finally:
        _building.reset(token)


def current() -> Devices:
    """Return the devices of models and agents that are built now; one by default."""
    return _building.get() or Devices()


def mean_over_devices(nest: Any) -> Any:
    """Return the means of tensors over all devices."""
    return nest if _share.get() is None else _replica().all_reduce(tf.distribute.ReduceOp.MEAN, nest)


def sum_over_devices(x: tf.Tensor) -> tf.Tensor:
    """Return the sum of a tensor over all devices; gradients pass through it."""
    return x if _share.get() is None else _replica().all_reduce(tf.distribute.ReduceOp.SUM, x)


def whole_batch(nest: Any, axis: int = 0) -> Any:
    """Return tensors with the rows of all devices along an axis, in the order of the batch."""
    return nest if _share.get() is None else _replica().all_gather(nest, axis)


def draw_rows(
    draw: Callable[[Any], tf.Tensor], shape: Sequence[int | tf.Tensor] | tf.Tensor, axis: int = 0, steps: int = 1
) -> tf.Tensor:
    """Return `draw(shape)` as one device would draw it: numbers for the whole batch are drawn, and the own rows kept.

    Args:
        draw: a stateless draw, whose numbers do not depend on how they are divided into axes.
        shape: of the numbers; an axis of it holds the rows.
        axis: that one.
        steps: the rows are so many steps of windows, one step of all windows after the other.
    """
    share = _share.get()
    if share is None:
        return draw(shape)
    static = tf.get_static_value(shape) if tf.is_tensor(shape) else shape
    sizes = tf.unstack(shape) if static is None else [int(x) if not tf.is_tensor(x) else x for x in static]
    drawn = draw((*sizes[:axis], steps, share.devices * (sizes[axis] // steps), *sizes[axis + 1 :]))
    return tf.reshape(tf.split(drawn, share.devices, axis + 1)[share.device], sizes)


def _replica() -> Any:
    return tf.distribute.get_replica_context()


def _add_in_order(values: Sequence[tf.Tensor]) -> tf.Tensor:
    """Return a sum in an order that is always the same (see `graph.make_deterministic`)."""
    return functools.reduce(operator.add, values)
