"""Reads Minari data sets, those that were exported from here and those of others.

Minari, an optional package, and the places of its data sets.

Episodes as Minari stores them, taken back into steps.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.core.errors import FileError, UserError, pip_install, shortened
from worldmodels.core.specs import ActionSpec
from worldmodels.core.types import Batch
from worldmodels.datasets.source import DatasetSpec, StreamCheck
from worldmodels.envs.readings import ObservationReading
from worldmodels.envs.spaces import action_spec

_NAME = re.compile(r"(?:(?=[\w-]{2}|[\w-]/[\w-]+/)(?:[\w-]+/)+)?[\w-]+-v\d+", re.ASCII)
"""Minari's own rule, in ASCII: it cannot list a folder in which a data set has another name."""

STREAM, IS_FIRST, REWARD = "worldmodels_stream", "worldmodels_is_first", "worldmodels_reward"
"""Attributes of an episode that came from here: what Minari has no place for, so that it comes back exactly."""
ACTION = "worldmodels_action"
"""The array of `infos` with the actions as they were stored, that at the last observation too."""


def load_minari() -> Any:
    """Return the package `minari`; raises UserError where it cannot be imported."""
    try:
        import h5py  # noqa: F401  Minari brings it by an extra of its own
        import minari
    except ImportError as error:
        raise UserError(
            f"Minari data sets need the package 'minari', which cannot be imported ({error}): {pip_install('minari')}."
        ) from error
    return minari


def dataset_path(name: str) -> Path:
    """Return the folder of a data set, in `MINARI_DATASETS_PATH` or else in the home folder, be it there or not.

    Raises:
        FileError: there can be no such name.
        UserError: the package is missing.
    """
    if not _NAME.fullmatch(name):
        raise FileError(
            "The name of a Minari data set is letters, digits, '_' and '-' and ends in a version. It may begin with a "
            "namespace of two characters or more and '/', as in minari:coinrun/random-v0. "
            f"Received '{shortened(name)}'."
        )
    return Path(load_minari().storage.get_dataset_path(name))


Array = np.ndarray[Any, Any]


def to_steps(data: Any, attributes: Any, reading: ObservationReading, action: ActionSpec, start: int = 0) -> Batch:
    """Return the steps (T,) of an episode, T - 1 steps as Minari counts.

    Args:
        data: arrays by Minari's names.
        attributes: those of the episode.
        reading: how its observations are read.
        action: the spec of its actions.
        start: the number of the first choice, where actions are choices.

    Raises:
        UserError: they are none of an episode with these specs, or contradict each other.
    """
    rewards, ends = np.asarray(data["rewards"]), np.asarray(data["terminations"])
    cuts, count = np.asarray(data["truncations"]), len(rewards)
    for what, values in (("rewards", rewards), ("terminations", ends), ("truncations", cuts)):
        if values.shape != (count,) or not count or values.dtype.kind not in ("fiu" if what == "rewards" else "b"):
            raise UserError(f"its {what} are {values.dtype} {values.shape}.")
    if (ends | cuts)[:-1].any():
        raise UserError("it goes on after a step that ends it.")
    reward = np.concatenate([[attributes.get(REWARD, 0.0)], rewards]).astype(np.float32)
    is_first, is_terminal = np.zeros(count + 1, bool), np.concatenate([[False], ends])
    is_first[0] = int(attributes.get(IS_FIRST, 1))
    is_last = is_terminal | np.concatenate([[False], cuts])
    actions = _actions(data, count, action, start)
    return Batch(_observations(data, count + 1, reading), reward, is_first, is_last, is_terminal, actions)


def _observations(data: Any, count: int, reading: ObservationReading) -> Any:
    arrays, spaces = {}, {name: reading.part(name).space for name, _ in reading.spec.parts}
    for name, part in reading.spec.parts:
        values, space = np.asarray(data["observations"][name] if name else data["observations"]), spaces[name]
        shape = space.shape or ()
        fits = values.dtype == space.dtype if part.is_image else values.dtype.kind in "fiub"
        if len(values) != count or values[0].size != math.prod(shape) or not fits:
            raise UserError(
                f"its observations{f' {name!r}' if name else ''} must be {count} of {part}; received {values.dtype} "
                f"{values.shape}."
            )
        arrays[name] = values.reshape(count, *shape)
    return reading(reading.spec.pack(arrays))


def _actions(data: Any, count: int, spec: ActionSpec, start: int) -> Array:
    own = (data.get("infos") or {}).get(ACTION)
    if own is not None:
        values = np.asarray(own)
        if values.shape != (count + 1, *spec.shape) or values.dtype != spec.dtype:
            raise UserError(f"its '{ACTION}' is {values.dtype} {values.shape}.")
        return values
    values = np.asarray(data["actions"])
    if (
        len(values) != count
        or values[0].size != (spec.size or 1)
        or values.dtype.kind not in ("iu", "f")[spec.size > 0]
    ):
        raise UserError(f"its actions must be {count} of {spec}; received {values.dtype} {values.shape}.")
    values = values.reshape(count, *spec.shape)
    if spec.is_discrete:
        values = values - start
    else:
        low, high = np.array(spec.low), np.array(spec.high)
        values = (values - low) / (high - low) * 2.0 - 1.0
    return np.concatenate([values, np.zeros((1, *spec.shape))]).astype(spec.dtype)


class MinariSource:
    """The steps of a Minari data set on this machine; see `Source`.

    What was exported from here has its streams again, cut to the shortest; another data set is one stream, episode
    after episode. `envs/readings.py` says how its observations are read; its boxes of actions run from -1 to 1. Minari
    has no action at the last observation of an episode: it becomes 0.

    Raises:
        FileError: there is no such data set, an empty one, or one that is damaged.
        UserError: Minari is missing, or its spaces are none that a model can have.
    """

    def __init__(self, name: str) -> None:
        self._name = f"The Minari data set '{name}'"
        minari, path = load_minari(), dataset_path(name)
        if not (path / "data").is_dir():
            raise FileError(
                f"There is no Minari data set '{name}' on this machine, in '{path}'. 'minari list local' says which "
                f"there are, and 'minari download {name}' may bring it."
            )
        try:
            self._dataset = _load(minari, path / "data", name)
            episodes = range(self._dataset.total_episodes)
            self._attributes = list(self._dataset.storage.get_episode_metadata(episodes))
            lengths = [int(attributes["total_steps"]) + 1 for attributes in self._attributes]
            self._streams = self._divide()
        except UserError:
            raise
        except Exception as error:  # their code, and a file from outside
            raise FileError(f"{self._name} cannot be read: {_one_line(error)}.") from error
        if not lengths:
            raise FileError(f"{self._name} holds no episodes.")
        length = min(sum(lengths[episode] for episode in stream) for stream in self._streams)
        self._reading = ObservationReading(self._dataset.observation_space, f"minari:{name}")
        self._start = int(getattr(self._dataset.action_space, "start", 0))
        self.notes = self._reading.notes
        taken = action_spec(self._dataset.action_space, f"minari:{name}")
        self.spec = DatasetSpec(len(self._streams), length, self._reading.spec, taken)

    def pieces(self) -> Iterator[Batch]:
        spec = self.spec
        check = StreamCheck(self._name, spec.num_streams, spec.observation, spec.action)
        for rows in zip(*(self._rows(stream) for stream in self._streams), strict=True):
            yield check(Batch.joined(rows))

    def close(self) -> None:
        pass  # Minari opens its files anew for each episode

    def _divide(self) -> list[list[int]]:
        """Return the numbers of the episodes of each stream."""
        streams: dict[int, list[int]] = {}
        known = all(STREAM in attributes for attributes in self._attributes)
        for episode, attributes in enumerate(self._attributes):
            streams.setdefault(int(attributes[STREAM]) if known else 0, []).append(episode)
        return [streams[number] for number in sorted(streams)]

    def _rows(self, stream: Sequence[int]) -> Iterator[Batch]:
        """Yield the pieces (1, t) of a stream."""
        episodes, held = (self._episode(number) for number in stream), None
        for steps in self.spec.pieces:
            while held is None or held.reward.shape[1] < len(steps):
                following = next(episodes, None)
                if following is None:
                    raise FileError(f"{self._name} holds fewer steps than it says.")
                held = following if held is None else _after(held, following)
            yield held.at(np.s_[:, : len(steps)])
            held = held.at(np.s_[:, len(steps) :])

    def _episode(self, number: int) -> Batch:
        """Return an episode as steps (1, T)."""
        try:
            (data,) = self._dataset.storage.get_episodes([number])
            steps = to_steps(data, self._attributes[number], self._reading, self.spec.action, self._start)
        except UserError as error:
            raise FileError(f"{self._name}, episode {number}: {error}") from error
        except Exception as error:  # their code, and a file from outside
            raise FileError(f"{self._name}, episode {number}, cannot be read: {_one_line(error)}.") from error
        return steps.at(None)


def _load(minari: Any, folder: Any, name: str) -> Any:
    from minari.dataset.minari_storage import MinariStorage

    metadata = MinariStorage.read_raw_metadata(folder)
    if not {"observation_space", "action_space"} <= set(metadata):
        # Minari would make the environment to learn them, which may be of any module that the file names.
        raise FileError(f"The Minari data set '{name}' does not say what its spaces are.")
    return minari.load_dataset(name)


def _after(first: Batch, second: Batch) -> Batch:
    """Return the steps (1, T) of two batches, one after the other."""
    return Batch.joined([first.at(0), second.at(0)]).at(None)


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
