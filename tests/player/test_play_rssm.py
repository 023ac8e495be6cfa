"""The player with a real recurrent state-space model, untrained and tiny."""

from __future__ import annotations

import pytest

from worldmodels.core.checkpoint import Checkpoints
from worldmodels.core.config import load_config
from worldmodels.core.run_dir import RunDir
from worldmodels.player.app import play_run
from worldmodels.player.options import PlayOptions
from worldmodels.runtime.config import RunConfig
from worldmodels.telemetry.video import read_video

TINY = ["env.game=maze", "model.recurrent=8", "model.hidden=8", "model.latents=2", "model.classes=2"]


@pytest.fixture(scope="module")
def tiny_run(tmp_path_factory):
    from worldmodels.runtime.build import build_parts
    from worldmodels.runtime.environment import build_env

    config = load_config(RunConfig, ["dreamer_small"], TINY)
    run = RunDir.create(tmp_path_factory.mktemp("runs") / "tiny", config, {})
    env = build_env(config, num_envs=1)
    parts = build_parts(config, env)
    env.close()
    Checkpoints(run.checkpoints).write(0, {"model": parts.model.save(), "agent": parts.agent.save()})
    return run.path


def test_the_same_keys_give_the_same_video(tiny_run, tmp_path):
    keys = tmp_path / "keys.txt"
    keys.write_text("0 press right\n4 tap x\n6 tap p\n9 tap r\n")
    for name in ("a.mp4", "b.mp4"):
        play_run(tiny_run, PlayOptions(headless=True, keys=keys, video=tmp_path / name, zoom=1))
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()
    assert len(read_video(tmp_path / "a.mp4")) == 10
