"""What is written in a format comes back byte by byte; files from outside are refused in one sentence."""

import importlib.util
import os
import subprocess
import sys
import time
import tracemalloc
import zipfile
from contextlib import closing

import h5py
import numpy as np
import pytest
from datasets_made import SPACES, assert_same, gathered, made_source

from worldmodels.config.run_config import RunConfig
from worldmodels.core.errors import FileError, RunError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.datasets import ResizedSource, open_source, write

minari_needed = pytest.mark.skipif(importlib.util.find_spec("minari") is None, reason="needs the extra minari")
PLACES = ("store", "steps.npz", "steps.hdf5")


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("spaces", SPACES)
def test_steps_come_back_as_they_were(tmp_path, spaces, place, begun):
    source = made_source(*SPACES[spaces], begun=begun)
    write(str(tmp_path / "new" / place), source)
    with closing(open_source(str(tmp_path / "new" / place))) as found:
        assert_same(source, found)
    assert [path.name for path in (tmp_path / "new").iterdir()] == [place]


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_overwritten(tmp_path, place):
    (tmp_path / place).write_text("mine")
    with pytest.raises(FileError, match="nothing is overwritten"):
        write(str(tmp_path / place), made_source(*SPACES["vectors and a box"]))
    assert (tmp_path / place).read_text() == "mine"


def test_equal_steps_give_equal_files_at_any_time(tmp_path):
    for name in PLACES[1:]:
        write(str(tmp_path / "a" / name), made_source(*SPACES["a dictionary"]))
        wait_for_the_next_second()
        write(str(tmp_path / "b" / name), made_source(*SPACES["a dictionary"]))
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def wait_for_the_next_second():
    """Times in a file are whole seconds."""
    time.sleep(1 - time.time() % 1)


def arrays():
    """The arrays of a data set of vectors and choices, 6 steps of 1 stream, as people with NumPy write them."""
    first, last = np.zeros((6, 1), bool), np.zeros((6, 1), bool)
    first[[0, 3]], last[[2, 5]] = True, True
    reward = np.where(first, 0, 1).astype(np.float32)
    action = np.zeros((6, 1), np.int32)
    return {
        "observation": np.ones((6, 1, 2), np.float32),
        **{"reward": reward, "is_first": first, "is_last": last, "is_terminal": last, "action": action},
        "action_choices": 2,
    }


def test_a_file_of_others_is_read(tmp_path):
    np.savez(tmp_path / "a.npz", **arrays())
    with closing(open_source(str(tmp_path / "a.npz"))) as source:
        (piece,) = source.pieces()
    assert piece.reward.tolist() == [[0, 1, 1, 0, 1, 1]]
    assert (source.spec.action.count, source.spec.observation.only.shape) == (2, (2,))


@pytest.mark.parametrize("kind", ["npz", "hdf5"])
@pytest.mark.parametrize(("shape", "read"), [((3, 40, 36), (40, 36, 3)), ((40, 36), (40, 36, 1))])
def test_images_of_other_layouts_are_read(tmp_path, shape, read, kind):
    images = np.random.default_rng(0).integers(0, 256, (6, 1, *shape)).astype(np.uint8)
    path = tmp_path / f"a.{kind}"
    save(path, arrays() | {"observation": images})
    with closing(open_source(str(path))) as source:
        (piece,) = source.pieces()
        assert source.spec.observation.only.shape == read and len(source.notes) == 1
        write(str(tmp_path / "store"), source)
    last = images[:, 0, ..., None] if len(shape) == 2 else np.moveaxis(images[:, 0], 1, -1)
    np.testing.assert_array_equal(piece.observation[0], last)


def test_images_are_resized_on_the_way_in():
    source = made_source(ObservationSpec.of(16, 8, 3), ActionSpec(4))
    resized = ResizedSource(source, 8)
    assert resized.spec.observation.only.shape == (8, 8, 3) and resized.spec.length == source.spec.length
    before, after = gathered(source), gathered(resized)
    # Of 16 rows become 8, each the mean of two.
    np.testing.assert_allclose(after.observation, before.observation.reshape(3, 150, 8, 2, 8, 3).mean(3), atol=0.5)
    np.testing.assert_array_equal(after.reward, before.reward)


def test_arrays_without_streams_are_told_so(tmp_path):
    found = {name: array if name == "action_choices" else array[:, 0] for name, array in arrays().items()}
    np.savez(tmp_path / "a.npz", **found)
    with pytest.raises(FileError, match=r"an axis of streams .* Received \(6,\). One stream alone is array\[:, None\]"):
        open_source(str(tmp_path / "a.npz"))


def test_a_run_without_experience_says_so(tmp_path):
    (tmp_path / "run").mkdir()
    with (
        RunDir(tmp_path / "run").training(RunConfig(), {}),
        pytest.raises(RunError, match="keeps no experience"),
    ):
        open_source(str(tmp_path / "run"))


def save(path, found):
    if path.suffix == ".npz":
        np.savez(path, **found)
    else:
        with h5py.File(path, "w") as file:
            for name, array in found.items():
                file[name] = array


def changed(name, place=None, value=None):
    """The arrays with one of them replaced, or with one number of it."""
    found = arrays()
    if place is None:
        found[name] = value
    else:
        found[name] = found[name].copy()
        found[name][place] = value
    return found


WRONG = [
    (changed("reward", 2, np.nan), "at step 2 of stream 0, a reward is not a finite number"),
    (changed("observation", 4, np.inf), "at step 4 of stream 0, an observation holds a number that is not finite"),
    (changed("action", 1, 2), "at step 1 of stream 0, an action is none of the choices 0 to 1"),
    (changed("is_first", 3, False), "at step 3 of stream 0, no episode begins"),
    (changed("reward", 3, 1), "at step 3 of stream 0, an episode begins with a reward"),
    (changed("is_last", 2, False), "at step 2 of stream 0, is_terminal holds and is_last does not"),
    (changed("is_first", 5, True) | {"reward": np.zeros((6, 1), np.float32)}, "ends with the observation"),
    (changed("reward", None, np.zeros((5, 1), np.float32)), r"'reward' must be of shape \(6, 1\)"),
    (changed("reward", None, np.zeros((6, 1))), "type float32. Received .* float64"),
    (changed("more", None, np.zeros(3)), "it must hold .* Received .*'more'"),
    (changed("action_low", None, np.zeros(3)), "either 'action_choices' or both"),
    (changed("observation", None, np.zeros((0, 1, 2), np.float32)), "1 stream or more"),
    (changed("observation", None, np.zeros((6, 1, 2, 2), np.float32)), "image of shape"),
    (changed("observation", None, np.float32(1)), r"must be of shape \(steps, streams"),
    (changed("observation", None, np.zeros((6, 1, 3, 8, 8), np.uint8)), "channels come first, or last"),
]


@pytest.mark.parametrize("kind", ["npz", "hdf5"])
@pytest.mark.parametrize(("wrong", "text"), WRONG)
def test_wrong_arrays_are_refused(tmp_path, wrong, text, kind):
    path = tmp_path / f"wrong.{kind}"
    save(path, wrong)
    with pytest.raises(FileError, match=text), closing(open_source(str(path))) as source:
        list(source.pieces())


def test_pickled_objects_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", **arrays() | {"action": np.array([[{}]], object)})
    with pytest.raises(FileError, match="pickled objects"):
        open_source(str(tmp_path / "a.npz"))


def test_forged_sizes_are_refused_before_memory_is_asked_for(tmp_path):
    with h5py.File(tmp_path / "a.hdf5", "w") as file:
        file.create_dataset("observation", (10**12, 1, 2), np.float32, chunks=(64, 1, 2))
    with pytest.raises(FileError, match="so much cannot come of 0"):
        open_source(str(tmp_path / "a.hdf5"))
    np.savez(tmp_path / "a.npz", **arrays())
    data = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "a.npz").write_bytes(data.replace(b"(6, 1, 2), }", b"(9**9,1,2),}"[:12]).replace(b"(6, 1)", b"(9, 1)"))
    with pytest.raises(FileError):
        open_source(str(tmp_path / "a.npz"))


@pytest.mark.parametrize("name", ["a.npz", "a.hdf5"])
def test_files_that_are_cut_or_something_else_are_refused(tmp_path, name):
    write(str(tmp_path / name), made_source(*SPACES["vectors and a box"]))
    whole = (tmp_path / name).read_bytes()
    for data in (b"", b"no such format", whole[: len(whole) // 2]):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(FileError, match="cannot be read"), closing(open_source(str(tmp_path / name))) as source:
            list(source.pieces())


def test_a_place_without_experience(tmp_path):
    with pytest.raises(FileError, match="There is no recorded experience in"):
        open_source(str(tmp_path))


def npy(header, version=b"\x01\x00", length=None, numbers=b"\x01" * 8):
    """The bytes of an array with this header, which may claim another length."""
    claimed = len(header) if length is None else length
    return b"\x93NUMPY" + version + claimed.to_bytes(2 if version == b"\x01\x00" else 4, "little") + header + numbers


HEADERS = [
    npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"[:-1] + b"\n  x\n y\n"),
    npy(b"'''"),
    npy(b"{'descr': ["),
    npy(b"(" * 9000),
    npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }"),
    npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (10**9,), }"),
    npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2.5,), }"),
    npy(b"{'descr': ('<f4', 'x'), 'fortran_order': False, 'shape': (2,), }"),
    npy(b"{}", b"\x02\x00", 2_000_000_000),
    npy(b"{}", b"\x09\x00"),
    b"",
]


@pytest.mark.parametrize("data", HEADERS)
def test_malformed_headers_are_refused(tmp_path, data):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("observation.npy", data)
    with pytest.raises(FileError, match=r"a.npz'.*'observation'"):
        open_source(str(tmp_path / "a.npz"))


def test_a_header_of_python_2_is_read_without_a_remark(tmp_path, recwarn):
    np.savez(tmp_path / "whole.npz", **arrays())
    with zipfile.ZipFile(tmp_path / "whole.npz") as whole, zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for name in whole.namelist():
            archive.writestr(name, whole.read(name).replace(b"(6, 1), }  ", b"(6L, 1L), }"))
    with closing(open_source(str(tmp_path / "a.npz"))) as source:
        assert next(iter(source.pieces())).reward.tolist() == [[0, 1, 1, 0, 1, 1]]
    assert not recwarn.list


def test_a_header_that_claims_two_billion_bytes_takes_no_memory(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("observation.npy", npy(b" " * 10_000_000, b"\x02\x00"))
    tracemalloc.start()
    with pytest.raises(FileError, match="the header of 'observation' cannot be read"):
        open_source(str(tmp_path / "a.npz"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def test_a_forged_size_of_a_member_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", **arrays())
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        size = archive.getinfo("observation.npy").file_size
    data = (tmp_path / "a.npz").read_bytes()
    central = data.index(b"PK\x01\x02")
    forged = data[central:].replace(size.to_bytes(4, "little"), (2**31).to_bytes(4, "little"), 1)
    (tmp_path / "a.npz").write_bytes(data[:central] + forged)
    with pytest.raises(FileError, match="'observation' claims more bytes than its file can hold: 2,147,483,648"):
        open_source(str(tmp_path / "a.npz"))


FULL = """
import resource, signal, sys
from datasets_made import SPACES, made_source
from worldmodels.core.errors import DiskFullError
from worldmodels.datasets import write
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
source = made_source(*SPACES["images and choices"], length=1000)
for size in map(int, sys.argv[2:]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        write(sys.argv[1], source)
    except DiskFullError:
        print(size)
"""


@pytest.mark.parametrize("place", ["a.hdf5", "a.npz", pytest.param("minari:made/full-v0", marks=minari_needed)])
def test_a_write_that_fails_ends_in_an_error_and_not_in_a_crash(tmp_path, place):
    sizes = ["300", "3000", "20000", "100000"]
    written = place if ":" in place else str(tmp_path / place)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MINARI_DATASETS_PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", FULL, written, *sizes], env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.split()) == (0, sizes), done.stderr
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_an_interruption_while_hdf5_writes_waits_for_its_return(tmp_path, monkeypatch):
    write_to_disk, calls = os.pwrite, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 20:
            raise KeyboardInterrupt
        return write_to_disk(*arguments)

    monkeypatch.setattr(os, "pwrite", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(str(tmp_path / "a.hdf5"), made_source(*SPACES["images and choices"], length=1000))
    assert not list(tmp_path.iterdir())
