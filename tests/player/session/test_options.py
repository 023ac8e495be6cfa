"""Options that make no sense are refused with a sentence."""

from __future__ import annotations

import pytest

from worldmodels.core.errors import UserError
from worldmodels.player.session.options import PlayOptions


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"headless": True}, "--video"),
        ({"headless": True, "video": "x.mp4"}, "--key-script"),
        ({"headless": True, "web": True, "video": "x.mp4", "steps": 1}, "Received both"),
        ({"port": 70000}, "'port' must be from 0 to 65535. Received 70000"),
        ({"zoom": 0}, "'zoom' must be from 1 to 32. Received 0"),
        ({"rate": 1000}, "'rate' must be from 1 to 240"),
        ({"temperature": -1.0}, "'temperature' must be from 0"),
        ({"video": "x.avi"}, "'x.avi'"),
        ({"alone": "models"}, "Unknown world 'models'. Did you mean 'model'? Worlds: model, real."),
    ],
)
def test_options_are_checked(given, words):
    with pytest.raises(UserError) as error:
        PlayOptions(**given)
    assert words in str(error.value)
