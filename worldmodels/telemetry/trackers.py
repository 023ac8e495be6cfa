"""The logger of a run, with sinks that send scalars to trackers: Weights & Biases, MLflow and Trackio.

A tracker's own environment variables say where it keeps them, and whether offline: WANDB_MODE, WANDB_DIR,
MLFLOW_TRACKING_URI, TRACKIO_DIR.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import ConfigError, pip_install, shortened
from worldmodels.core.files.run_dir import RunDir
from worldmodels.telemetry.logger import Logger
from worldmodels.telemetry.sinks import JSONLSink, TensorBoardSink

PROJECT = "worldmodels"
"""The project or the experiment in which a tracker shows the runs."""
Config = Mapping[str, Any]


class Connection(NamedTuple):
    """The functions of a tracker for one run."""

    log: Callable[[int, Mapping[str, float]], object]
    close: Callable[[], object]


class TrackerSink:
    """A sink for one tracker; if the tracker fails, a warning says so, and the run goes on without it."""

    def __init__(self, name: str, run: RunDir, config: Config) -> None:
        self._name = name
        self._connection: Connection | None = None
        self._guarded(lambda: self._connect(run, config))

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        finite = {name: float(value) for name, value in values.items() if math.isfinite(value)}
        if (connection := self._connection) is not None:
            self._guarded(lambda: connection.log(int(step), finite))

    def video(self, step: int, name: str, frames: npt.NDArray[np.uint8]) -> None:
        """Do nothing: videos stay in the run's folder."""

    def save(self) -> dict[str, Any]:
        return {}

    def load(self, tree: dict[str, Any]) -> None:
        """Do nothing: a tracker cannot remove records; a continued run sends the records after its checkpoint again."""

    def close(self) -> None:
        if (connection := self._connection) is not None:
            self._guarded(connection.close)
        self._connection = None

    def _connect(self, run: RunDir, config: Config) -> None:
        self._connection = _CONNECT[self._name](run, run.identity, config)

    def _guarded(self, call: Callable[[], object]) -> None:
        try:
            call()
        except Exception as error:  # their code, and their servers
            self._connection = None
            text = shortened(" ".join(str(error).split()), 300)
            warnings.warn(f"{self._name} failed, and the run goes on without it: {text}", stacklevel=3)


@contextmanager
def opened_logger(run: RunDir, trackers: Sequence[str], config: Config) -> Iterator[Logger]:
    """Give the logger of a run, which writes to its folder and sends to trackers, and close it in the end."""
    sinks = [TrackerSink(name, run, config) for name in trackers]
    logger = Logger([JSONLSink(run.metrics), TensorBoardSink(run.path), *sinks])
    try:
        yield logger
    finally:
        logger.close()


def check_trackers(names: Sequence[str]) -> None:
    """Raise ConfigError if a tracker's package is not installed."""
    for name in names:
        if find_spec(name) is None:
            raise ConfigError(f"telemetry.sinks: '{name}' needs a package that is not installed: {pip_install(name)}.")


def _wandb(run: RunDir, identity: str, config: Config) -> Connection:
    wandb: Any = import_module("wandb")
    settings = wandb.Settings(silent=True, console="off")
    started = wandb.init(
        project=PROJECT,
        name=run.path.name,
        id=identity,
        resume="allow",
        config=dict(config),
        settings=settings,
    )
    started.define_metric("*", step_metric="step")  # its own counter refuses steps that came before
    return Connection(lambda step, values: started.log({"step": step, **values}), started.finish)


def _trackio(run: RunDir, identity: str, config: Config) -> Connection:
    trackio: Any = import_module("trackio")
    trackio.init(project=PROJECT, name=f"{run.path.name}-{identity}", resume="allow", config=dict(config))
    return Connection(lambda step, values: trackio.log(dict(values), step=step), trackio.finish)


def _mlflow(run: RunDir, identity: str, config: Config) -> Connection:
    client: Any = import_module("mlflow").MlflowClient()
    metric = import_module("mlflow.entities").Metric
    found = client.get_experiment_by_name(PROJECT)
    experiment = found.experiment_id if found else client.create_experiment(PROJECT)
    earlier = client.search_runs([experiment], f"tags.{PROJECT} = '{identity}'")
    if earlier:
        record = earlier[0].info.run_id
        client.update_run(record, status="RUNNING")
    else:
        record = client.create_run(experiment, run_name=run.path.name, tags={PROJECT: identity}).info.run_id
        client.log_dict(record, dict(config), "config.json")

    def log(step: int, values: Mapping[str, float]) -> None:
        now = int(time.time() * 1000)
        client.log_batch(record, metrics=[metric(name, value, now, step) for name, value in values.items()])

    return Connection(log, lambda: client.set_terminated(record))


_CONNECT: Mapping[str, Callable[[RunDir, str, Config], Connection]] = {
    "wandb": _wandb,
    "mlflow": _mlflow,
    "trackio": _trackio,
}
