"""Writes Minari data sets: episodes that every tool for offline reinforcement learning can read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from worldmodels.core.specs import ActionSpec
from worldmodels.core.types import Batch
from worldmodels.datasets.minari_source import ACTION, IS_FIRST, REWARD, STREAM, dataset_path, load_minari
from worldmodels.datasets.source import Source, writing_folder
from worldmodels.envs.spaces import bounded_action_space, observation_space

Array = np.ndarray[Any, Any]


class Episode(NamedTuple):
    """An episode, or the part of one that was recorded."""

    stream: int
    steps: Batch
    """The steps from its first to its last one, leading T alone."""


def write_minari(name: str, source: Source) -> None:
    """Write a Minari data set under a new name.

    Actions of a box are in the environment's own units there, and as they were stored in `infos`. Images are stored
    as they are: Minari's JPEG would lose some of them. An episode with a single observation is left out with a warning,
    since an episode of Minari has at least one step.
    """
    spec, minari, path = source.spec, load_minari(), dataset_path(name)
    from minari.dataset.minari_storage import MinariStorage

    from worldmodels.datasets.hdf5 import UnfailingFile

    left_out = 0
    attributes: list[dict[str, Any]] = []

    def episodes(disk: UnfailingFile) -> Iterator[Any]:
        nonlocal left_out
        for episode in episodes_of(source):
            if len(episode.steps.reward) < 2:
                left_out += 1
                continue
            attributes.append(_attributes(episode))
            yield _buffer(episode.steps, spec.action)
            disk.check()

    with writing_folder(path) as beside:
        data = beside / "data"
        data.mkdir(parents=True)
        spaces = observation_space(spec.observation), bounded_action_space(spec.action)
        storage = MinariStorage.new(data, *spaces, jpeg_encoding=False)
        storage.update_metadata({"dataset_id": name, "minari_version": minari.__version__})
        with UnfailingFile(storage._file_path) as disk:
            storage._file_path = disk
            storage.update_episodes(episodes(disk))
            storage.update_episode_metadata(attributes)
    if left_out:
        warnings.warn(
            f"{left_out} observations that begin an episode and that no step follows were left out: an episode of "
            "Minari has at least one step.",
            stacklevel=2,
        )


def _buffer(steps: Batch, action: ActionSpec) -> Any:
    from minari.data_collector import EpisodeBuffer

    return EpisodeBuffer(
        observations=steps.observation,
        actions=_in_units(steps.action[:-1], action),
        rewards=steps.reward[1:],
        terminations=steps.is_terminal[1:],
        truncations=(steps.is_last & ~steps.is_terminal)[1:],
        infos={ACTION: steps.action},
    )


def _attributes(episode: Episode) -> dict[str, Any]:
    first, reward = episode.steps.is_first[0], episode.steps.reward[0]
    return {STREAM: episode.stream, IS_FIRST: int(first), REWARD: float(reward)}


def _in_units(actions: Array, spec: ActionSpec) -> Array:
    """Return actions as the environment takes them: a box from its own lower bound to its upper one."""
    if spec.is_discrete:
        return actions
    low, high = np.array(spec.low), np.array(spec.high)
    return (low + (np.clip(actions, -1.0, 1.0) + 1.0) / 2.0 * (high - low)).astype(np.float32)


def episodes_of(source: Source) -> Iterator[Episode]:
    """Yield the episodes of all streams, those of a stream in their order.

    The first episode of a stream may lack its beginning and the last its end; so may an episode that a stopped run left
    unfinished. One episode of each stream is in memory.
    """
    held: list[list[Batch]] = [[] for _ in range(source.spec.num_streams)]
    ended = np.zeros((source.spec.num_streams, 1), bool)
    for piece in source.pieces():
        begins = piece.is_first | np.concatenate([ended, piece.is_last[:, :-1]], 1)
        ended = piece.is_last[:, -1:]
        for stream, parts in enumerate(held):
            borders = np.flatnonzero(begins[stream]).tolist()
            for start, stop in pairwise([0, *borders, begins.shape[1]]):
                if start in borders and parts:
                    yield Episode(stream, Batch.joined(parts))
                    parts.clear()
                if start < stop:
                    parts.append(piece.at(np.s_[stream, start:stop]).map(np.copy))
    for stream, parts in enumerate(held):
        yield Episode(stream, Batch.joined(parts))
