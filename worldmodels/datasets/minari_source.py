"""Reads Minari data sets, those that were exported from here and those of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from worldmodels.core.errors import FileError, UserError
from worldmodels.core.types import Batch
from worldmodels.datasets.checks import StreamCheck
from worldmodels.datasets.minari_episodes import to_steps
from worldmodels.datasets.minari_names import STREAM, dataset_path, load_minari
from worldmodels.datasets.source import DatasetSpec
from worldmodels.envs.spaces import action_spec, observation_spec


class MinariSource:
    """The steps of a Minari data set on this machine; see `Source`.

    What was exported from here has its streams again, cut to the shortest; another data set is one stream, episode
    after episode. Its vectors become float32, and its boxes of actions run from -1 to 1. Minari has no action at the
    last observation of an episode: it becomes 0.

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
        except UserError:
            raise
        except Exception as error:  # their code, and a file from outside
            raise FileError(f"{self._name} cannot be read: {_one_line(error)}.") from error
        if not lengths:
            raise FileError(f"{self._name} holds no episodes.")
        self._streams = self._divide()
        length = min(sum(lengths[episode] for episode in stream) for stream in self._streams)
        seen = observation_spec(self._dataset.observation_space, self._name)
        taken = action_spec(self._dataset.action_space, self._name)
        self.spec = DatasetSpec(len(self._streams), length, seen, taken)

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
            steps = to_steps(data, self._attributes[number], self.spec.observation, self.spec.action)
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
