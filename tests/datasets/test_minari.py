"""Minari data sets: ours read by Minari, and Minari's by us. Skipped where Minari is not installed."""

from contextlib import closing

import gymnasium as gym
import h5py
import numpy as np
import pytest
from datasets_made import SPACES, assert_same, gathered, made_source

from worldmodels.core.errors import FileError, UserError
from worldmodels.datasets import open_source, write
from worldmodels.datasets.minari_source import dataset_path

try:
    import minari
except ImportError:
    minari = None

needed = pytest.mark.skipif(minari is None, reason="needs the extra minari")


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))


@pytest.mark.skipif(minari is not None, reason="Minari is installed")
def test_a_missing_package_says_how_to_install_it():
    with pytest.raises(UserError, match=r"pip install 'worldmodels-lab\[minari\]'"):
        open_source("minari:coinrun/random-v0")


@needed
@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("spaces", SPACES)
def test_steps_come_back_as_they_were(spaces, begun):
    source = made_source(*SPACES[spaces], begun=begun)
    write("minari:made/steps-v0", source)
    assert_same(source, open_source("minari:made/steps-v0"))
    with pytest.raises(FileError, match="nothing is overwritten"):
        write("minari:made/steps-v0", source)


@needed
def test_minari_reads_ours():
    source = made_source(*SPACES["vectors and a box"])
    write("minari:made/steps-v0", source)
    dataset = minari.load_dataset("made/steps-v0")
    assert (dataset.total_episodes, dataset.total_steps) == (15 + 14 + 13, 3 * 150 - 42)
    steps, episode = source.batch, next(iter(dataset.iterate_episodes()))
    np.testing.assert_array_equal(episode.observations, steps.observation[0, :10])
    np.testing.assert_array_equal(episode.rewards, steps.reward[0, 1:10])
    # From -2 to 2, and from 0 to 3.
    np.testing.assert_allclose(episode.actions, (steps.action[0, :9] + 1) * [2, 1.5] + [-2, 0], atol=1e-6)
    assert episode.terminations.tolist() == [False] * 8 + [True] and not episode.truncations.any()


@needed
def test_an_observation_without_a_step_is_left_out():
    source = made_source(*SPACES["images and choices"], num_streams=1, length=11)
    with pytest.warns(UserWarning, match="1 observations that begin an episode"):
        write("minari:made/steps-v0", source)
    found = gathered(open_source("minari:made/steps-v0"))
    np.testing.assert_array_equal(found.observation, source.batch.observation[:, :10])


@needed
def test_a_data_set_of_others_becomes_one_stream():
    from minari.data_collector import EpisodeBuffer

    def episode(ends):
        return EpisodeBuffer(
            observations=np.arange(6, dtype=np.float64).reshape(3, 2),
            actions=np.array([[-0.5], [1.5]], np.float32),
            rewards=[1.0, 2.0],
            terminations=[False, ends],
            truncations=[False, not ends],
        )

    box = gym.spaces.Box(-9, 9, (2,), np.float64), gym.spaces.Box(-0.5, 1.5, (1,), np.float32)
    minari.create_dataset_from_buffers(
        "other/task-v0", [episode(True), episode(False)], observation_space=box[0], action_space=box[1]
    )
    source = open_source("minari:other/task-v0")
    steps = gathered(source)
    assert (source.spec.num_streams, source.spec.length, source.spec.action.high) == (1, 6, (1.5,))
    assert steps.observation.dtype == np.float32 and steps.observation[0, :3].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert steps.action[0, :, 0].tolist() == [-1, 1, 0, -1, 1, 0]
    assert steps.reward.tolist() == [[0, 1, 2, 0, 1, 2]]
    assert steps.is_first.astype(int).tolist() == [[1, 0, 0, 1, 0, 0]]
    assert steps.is_last.astype(int).tolist() == [[0, 0, 1, 0, 0, 1]]
    assert steps.is_terminal.astype(int).tolist() == [[0, 0, 1, 0, 0, 0]]


@needed
def test_images_and_choices_of_other_layouts_are_read():
    from minari.data_collector import EpisodeBuffer

    shown = np.zeros((3, 3, 40, 36), np.float32)
    shown[1, 2, 5, 6] = 0.6
    episode = EpisodeBuffer(
        observations={"eye": shown, "place": np.array([4, 5, 4])},
        actions=np.array([2, 1]),
        rewards=[1.0, 2.0],
        terminations=[False, True],
        truncations=[False, False],
    )
    seen = gym.spaces.Dict(
        {"eye": gym.spaces.Box(0, 1, (3, 40, 36), np.float32), "place": gym.spaces.Discrete(2, start=4)}
    )
    minari.create_dataset_from_buffers(
        "other/eye-v0", [episode], observation_space=seen, action_space=gym.spaces.Discrete(2, start=1)
    )
    source = open_source("minari:other/eye-v0")
    steps = gathered(source)
    assert dict(source.spec.observation.parts)["eye"].shape == (40, 36, 3) and len(source.notes) == 2
    assert np.argwhere(steps.observation["eye"]).tolist() == [[0, 1, 5, 6, 2]]
    assert steps.observation["eye"].max() == 153
    assert steps.observation["place"][0].tolist() == [[1, 0], [0, 1], [1, 0]]
    assert steps.action[0].tolist() == [1, 0, 0] and source.spec.action.count == 2


@needed
@pytest.mark.parametrize(
    "name", ["../x-v0", "/x-v0", "x", "", "a/../b-v0", "coinrun/random.1-v0", "a/b-v0", "aa//b-v0", "é-v0"]
)
def test_names_that_cannot_be(name):
    with pytest.raises(FileError, match="ends in a version"), closing(open_source(f"minari:{name}")):
        pass
    with pytest.raises(FileError, match="ends in a version"):
        write(f"minari:{name}", made_source(*SPACES["vectors and a box"]))


@needed
@pytest.mark.parametrize("name", ["b-v0", "ab/b_1-v0", "a/c/b-v12"])
def test_names_that_minari_lists(name):
    write(f"minari:{name}", made_source(*SPACES["vectors and a box"]))
    assert list(minari.list_local_datasets()) == [name]


@needed
def test_a_data_set_that_is_not_there():
    with pytest.raises(FileError, match="There is no Minari data set 'nowhere-v0'"):
        open_source("minari:nowhere-v0")


@needed
@pytest.mark.parametrize("name", ["worldmodels_stream", "total_steps", "worldmodels_reward", "worldmodels_is_first"])
@pytest.mark.parametrize("value", ["many", [1, 2], np.nan])
def test_an_attribute_of_a_wrong_type_is_refused(name, value):
    write("minari:made/steps-v0", made_source(*SPACES["vectors and a box"]))
    (path,) = (dataset_path("made/steps-v0") / "data").glob("*.hdf5")
    with h5py.File(path, "r+") as file:
        file["episode_1"].attrs[name] = value
    with pytest.raises(FileError, match="minari|Minari"), closing(open_source("minari:made/steps-v0")) as source:
        list(source.pieces())
