"""The levels on which a run is played."""

from __future__ import annotations

from dataclasses import replace

import pytest

from worldmodels.core.errors import ConfigError, UserError
from worldmodels.envs import EnvConfig
from worldmodels.player.session.game_setup import set_up_run
from worldmodels.player.session.options import PlayOptions

CONFIG = EnvConfig(game="maze", num_levels=3, start_level=40)


@pytest.mark.parametrize(
    ("levels", "first", "count", "skipped"), [("train", 40, 3, 0), ("test", 43, 0, 0), ("unseen", 43, 0, 3)]
)
def test_a_run_is_played_on_the_levels_that_are_asked_for(levels, first, count, skipped):
    setup = set_up_run(CONFIG, PlayOptions(levels=levels))
    assert setup.recording.options["skip_layouts"] == skipped
    assert (setup.recording.options["start_level"], setup.recording.options["num_levels"]) == (first, count)
    seeds = {setup.env.reset(seed=seed)[1]["level_seed"] for seed in range(20)}
    assert seeds == {40, 41, 42} if count else min(seeds) >= 43
    setup.env.close()


def test_levels_that_there_are_not_are_refused():
    with pytest.raises(ConfigError, match="There are no test levels"):
        set_up_run(replace(CONFIG, num_levels=0), PlayOptions(levels="test"))
    with pytest.raises(UserError, match="Unknown level set 'tests'. Did you mean 'test'"):
        PlayOptions(levels="tests")  # type: ignore[arg-type]
    with pytest.raises(
        UserError, match="starts in the run's experience, which is from training levels. The start 'game'"
    ):
        PlayOptions(levels="test", alone="model")
