from __future__ import annotations

import pytest

from worldmodels.analysis.runs import folders
from worldmodels.analysis.runs.folders import read_settings, read_tree
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.presets import preset_names
from worldmodels.core.configuration.sections import load_config, to_dict
from worldmodels.core.errors import ConfigError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.yaml_files import parse_value

ALONE = [name for name in preset_names() if name.startswith("d")]


@pytest.mark.parametrize("name", ALONE)
def test_what_runs_write_is_read_as_yaml_reads_it(tmp_path, name):
    config = load_config(RunConfig, [name])
    run = RunDir.create(tmp_path / "run", config, {})
    assert read_tree(run.path) == parse_value(run.config.read_text(), "config.yaml")
    assert read_settings(run.path)["agent.kind"] == to_dict(config)["agent"]["kind"]


@pytest.mark.parametrize("name", ALONE)
def test_runs_that_differ_in_a_section_are_parsed_but_for_that(tmp_path, monkeypatch, name):
    for seed in (3, 4):
        RunDir.create(tmp_path / str(seed), load_config(RunConfig, [name], [f"seed={seed}"]), {})
    read_tree(tmp_path / "3")
    parsed = []
    monkeypatch.setattr(folders, "parse_value", lambda text, _: parsed.append(text) or parse_value(text, ""))
    assert read_tree(tmp_path / "4")["seed"] == 4
    assert parsed in ([], ["seed: 4\n"])


@pytest.mark.parametrize(
    "text",
    [
        "seed: 3\nenv:\n  game: maze\n",
        "seed: 3  # of everything\nenv: {game: maze}\n",
        "env:\n  game: 'a: b'\n  options: {}\nseed: 3\n",
        'logdir: "one\n  two"\nseed: 3\n',
        "a: &x [1, 2]\nb: *x\n",
        "a:  &x [1, 2]\nb:   *x\n",
        "a: .*\nb: x*y|z!&\nc: -1e-3\n",
        "a: |\n  b: 1\n  c: 2\nd: 3\n",
        "a:\n- 1\n- 2\nb: [1, 2]\n",
        "  a: 1\n  b: 2\n",
    ],
)
def test_any_other_file_too(tmp_path, text):
    (tmp_path / "config.yaml").write_text(text)
    assert read_tree(tmp_path) == parse_value(text, "config.yaml")


@pytest.mark.parametrize("text", ["  a: 1\nb: 2\n", "a: 1\na: 2\n", "a: 1\n  b: 2\n", "a: [1\n", "", "3\n"])
def test_what_yaml_refuses_is_refused(tmp_path, text):
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(ConfigError):
        read_tree(tmp_path)
