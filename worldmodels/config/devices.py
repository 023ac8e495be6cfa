"""Checks whether a run can have its number of devices, and makes logical devices of a CPU."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from worldmodels.agents import AGENTS
from worldmodels.config.run_config import RunConfig
from worldmodels.config.training_config import ModelBasedConfig
from worldmodels.core.configuration.kinds import Kinds
from worldmodels.core.errors import ConfigError
from worldmodels.core.processor import usable_cores
from worldmodels.models import MODELS
from worldmodels.models.api import ModelSpec


def check_devices(config: RunConfig, spec: ModelSpec) -> None:
    """Check that what learns can do so on as many devices; imports no TensorFlow.

    Raises:
        ConfigError: a model or an agent of a kind that cannot, numbers that the devices do not divide, or compile=xla.
    """
    if config.devices == 1:
        return
    if config.compile == "xla":
        raise ConfigError(
            f"compile is 'xla', and devices is {config.devices}: a program of XLA is for one device. "
            "Leave one of them out."
        )
    if spec.imagines:
        _check_shares(config, "model", config.model, MODELS)
    if config.trains_policy:
        _check_shares(config, "agent", config.agent, AGENTS)
    for name, value in _divided(config).items():
        if value % config.devices:
            raise ConfigError(
                f"devices is {config.devices}: each takes as many rows of an update as the others, so {name} must be a "
                f"multiple of it. Received {value}."
            )


def _check_shares(config: RunConfig, section: str, learner: Any, kinds: Kinds) -> None:
    """Check that a model or an agent can share its updates."""
    if not getattr(learner, "learns_on_devices", False):
        able = [kind for kind, other in kinds.items() if getattr(other, "learns_on_devices", False)]
        raise ConfigError(
            f"devices is {config.devices}, and {section}.kind '{learner.kind}' learns on one device alone. Kinds that "
            f"share their updates: {', '.join(able)}."
        )


def _divided(config: RunConfig) -> dict[str, int]:
    """Return the numbers that the devices have to divide, by their keys."""
    training, numbers = config.training, config.agent.shared_rows
    if isinstance(training, ModelBasedConfig):
        numbers = {"training.batch": training.batch, "training.starts.rollouts": training.starts.rollouts} | numbers
    return numbers


def claim_devices(count: int) -> None:
    """Let TensorFlow have so many devices: the first GPUs; without one, the CPU as so many logical devices.

    Raises:
        ConfigError: the machine has fewer, or TensorFlow has started with fewer in this process.
    """
    import tensorflow as tf

    if count == 1:
        return
    if gpus := tf.config.list_physical_devices("GPU"):
        _require(count, len(gpus), "GPUs")
        return
    _require(count, len(usable_cores()), "CPU cores that this process may use, and no GPU")
    logical = [tf.config.LogicalDeviceConfiguration()] * count
    try:
        tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], logical)
    except RuntimeError as error:  # TensorFlow has started
        if len(tf.config.list_logical_devices("CPU")) < count:
            raise ConfigError(
                f"devices is {count}, and TensorFlow has already started in this process with fewer. Logical devices "
                "of a CPU are made before it starts: train in a new process, or with devices=1."
            ) from error


def claim_threads(count: int) -> None:
    """Let each operation of TensorFlow have so many threads; 0: one for each core.

    Their number decides in which order sums are taken, and so the last bits. A TensorFlow that has started keeps those
    that it has; see `threads_warning`.
    """
    import tensorflow as tf

    with suppress(RuntimeError):  # it has started
        tf.config.threading.set_intra_op_parallelism_threads(count)


def threads_warning(count: int) -> str | None:
    """Return a warning where TensorFlow computes with another number of threads than `claim_threads` was to give it."""
    import tensorflow as tf

    found = tf.config.threading.get_intra_op_parallelism_threads()
    if found == count:
        return None
    has, wanted = (f"{number or 'as many as cores'}" for number in (found, count))
    return (
        f"TensorFlow has already started in this process with other threads (wanted: {wanted}, has: {has}). The last "
        "bits of this run's numbers are others than in a new process."
    )


def _require(count: int, available: int, what: str) -> None:
    if count > available:
        raise ConfigError(f"devices must be at most what this machine has: {available} {what}. Received {count}.")
