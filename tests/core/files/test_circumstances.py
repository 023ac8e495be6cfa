"""The circumstances in which a run begins."""

from __future__ import annotations

import re
import subprocess
from importlib import metadata
from pathlib import Path

from worldmodels.core.files.circumstances import circumstances, source_commit


def test_the_versions_of_packages_are_noted() -> None:
    packages = circumstances()["packages"]
    assert packages["worldmodels-lab"] == metadata.version("worldmodels-lab")
    assert packages["numpy"] == metadata.version("numpy")


def test_a_commit_is_dirty_where_the_package_or_a_preset_changed(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True)

    assert source_commit(tmp_path) is None
    files = [tmp_path / folder / "file" for folder in ("worldmodels", "configs", "results")]
    for file in files:
        file.parent.mkdir()
        file.write_text("1")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "one")
    clean = source_commit(tmp_path)
    assert clean is not None and re.fullmatch("[0-9a-f]{40}", clean)
    for file, found in zip(files, [f"{clean}-dirty", f"{clean}-dirty", clean], strict=True):
        file.write_text("2")
        assert source_commit(tmp_path) == found
        file.write_text("1")
