"""Connects to a Ray cluster that is running already (Moritz et al. 2018); the only module that imports Ray."""

from __future__ import annotations

import logging
import os
import socket
from pathlib import Path

from worldmodels.core.errors import UserError, pip_install, shortened

try:
    import ray
    from ray._private import worker as ray_worker
    from ray.exceptions import GetTimeoutError, RayError, RayTaskError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ModuleNotFoundError as error:
    raise UserError(
        f"The engine 'ray' needs Ray, which is not installed: {pip_install('ray')} brings it. Every node of the "
        "cluster needs it, in the same version."
    ) from error

__all__ = ["GetTimeoutError", "NodeAffinitySchedulingStrategy", "RayError", "RayTaskError", "connect", "ray"]

CURRENT_CLUSTER = Path(os.environ.get("RAY_TMPDIR", "/tmp"), "ray", "ray_current_cluster")
"""The file in which `ray start` notes the cluster's address."""
PROBE_SECONDS = 5.0
"""Time limit for an answer from the address."""
HTTP2_SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + HTTP2_SETTINGS


def connect(address: str | None) -> None:
    """Connect this process to a cluster. Ray itself would wait for a missing cluster without end.

    Raises:
        UserError: there is no cluster, or it has another version of Python or of Ray.
    """
    try:
        address = address or os.environ.get("RAY_ADDRESS") or CURRENT_CLUSTER.read_text().strip()
        host, _, port = address.rpartition(":")
        _probe(host.strip("[]"), int(port))
        # Of a lost node, Ray prints the log, which log_to_driver does not prevent. The engines say what was lost.
        ray_worker._worker_logs_enabled = False
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError, RayError) as error:
        where = f"at '{address}'" if address else "to which this machine belongs"
        why = "" if isinstance(error, FileNotFoundError) else f": {shortened(' '.join(str(error).split()), 200)}"
        raise UserError(
            f"There is no Ray cluster {where} that could be used{why}. Start one by 'ray start --head'; other "
            "machines join it by 'ray start --address=HOST:PORT'. Then run this command on one of these machines, or "
            "give the --address of another cluster."
        ) from error


def _probe(host: str, port: int) -> None:
    """Raise ConnectionError unless a server of gRPC answers, which speaks HTTP/2 (RFC 9113, section 3.4)."""
    with socket.create_connection((host, port), PROBE_SECONDS) as connection:
        connection.sendall(HTTP2_PREFACE)
        if connection.recv(4)[3:] != HTTP2_SETTINGS[3:4]:
            raise ConnectionError("something else answers there")
