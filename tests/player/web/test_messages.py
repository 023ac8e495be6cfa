"""Messages of pages: what each form means, and that nothing else means anything."""

from __future__ import annotations

import json
import random

import pytest

from worldmodels.player.session.events import (
    AxisEvent,
    DrawEvent,
    EpisodeEvent,
    GroupEvent,
    KeyEvent,
    SeekEvent,
    SettingEvent,
    StickEvent,
)
from worldmodels.player.web.messages import Seen, Wish, read_message

MEANINGS = {
    '{"key": "left", "pressed": true}': KeyEvent("left", True),
    '{"key": "shift+f1", "pressed": false}': KeyEvent("shift+f1", False),
    '{"axis": 0, "value": 0.5}': AxisEvent(0, 0.5),
    '{"axis": 3, "value": null}': AxisEvent(3, None),
    '{"axis": 1, "value": -7}': AxisEvent(1, -1.0),
    '{"stick": 1, "deflection": -0.25}': StickEvent(1, -0.25),
    '{"setting": 2, "value": 4}': SettingEvent(2, 4),
    '{"group": 3}': GroupEvent(3),
    '{"seek": 12}': SeekEvent(12),
    '{"episode": 2}': EpisodeEvent(2),
    '{"draw": [0.5, 0.25], "begins": true, "picks": false}': DrawEvent(0.5, 0.25, True),
    '{"draw": [-3, 1e300], "begins": false, "picks": true}': DrawEvent(0.0, 1.0, False, True),
    '{"wish": "play"}': Wish.PLAY,
    '{"wish": "hand over"}': Wish.HAND_OVER,
    '{"seen": 17}': Seen(17),
}
NONE = [
    *("", "[]", "null", "17", '"left"', "{", "{}", "\x00", '{"key": "left"}', '{"key": "left", "pressed": 1}'),
    *('{"key": "hyper", "pressed": true}', '{"key": ["left"], "pressed": true}', '{"key": "left", "key": "left"}'),
    *('{"axis": -1, "value": 0}', '{"axis": true, "value": 0}', '{"axis": 0.0, "value": 0}', '{"axis": 0}'),
    *('{"axis": 0, "value": NaN}', '{"axis": 0, "value": Infinity}', '{"axis": 0, "value": "1"}'),
    *('{"axis": 0, "value": 1e999}', '{"axis": 0, "value": true}', f'{{"axis": 0, "value": {10**400}}}'),
    *('{"stick": 0, "deflection": null}', '{"stick": 0, "deflection": NaN}', '{"stick": "0", "deflection": 0}'),
    *('{"setting": 0, "value": -1}', '{"setting": 0, "value": 0.5}', f'{{"setting": {10**30}, "value": 0}}'),
    *('{"seek": -1}', '{"seek": 0.5}', '{"seek": null}'),
    *('{"draw": [0.5], "begins": true, "picks": false}', '{"draw": [0.5, 0.5], "begins": 1, "picks": false}'),
    *('{"draw": [0.5, "0"], "begins": true, "picks": false}', '{"draw": [NaN, 0], "begins": true, "picks": false}'),
    *('{"episode": -1}', '{"episode": "1"}'),
    *('{"group": -1}', '{"group": 1.0}', '{"group": null}'),
    *('{"wish": "quit"}', '{"wish": null}', '{"seen": -1}', '{"seen": "1"}', '{"role": "player"}'),
    *("[" * 2000, '{"a":' * 500 + "1" + "}" * 500, '{"key": "\\ud800", "pressed": true}'),
]


KINDS = KeyEvent | AxisEvent | StickEvent | SettingEvent | GroupEvent | SeekEvent | Wish | Seen


@pytest.mark.parametrize("text", MEANINGS)
def test_each_form_has_its_meaning(text):
    assert read_message(text) == MEANINGS[text]


@pytest.mark.parametrize("text", NONE)
def test_everything_else_is_none(text):
    assert read_message(text) is None


def test_random_messages_are_never_an_error():
    generator = random.Random(0)
    names = ["key", "pressed", "axis", "stick", "deflection", "value", "setting", "group", "seek", "wish", "seen", "\n"]
    values = ["left", "play", True, None, -1, 0, 10**25, 1e308, -0.5, [], [[]], {}, {"key": "left"}, "\udfff", "x" * 99]
    for _ in range(3000):
        chosen = {name: generator.choice(values) for name in generator.sample(names, generator.randint(0, 4))}
        text = json.dumps(chosen)
        cut = generator.randrange(len(text) + 1) if generator.random() < 0.5 else len(text)
        noise = "".join(chr(generator.randrange(1, 0xD800)) for _ in range(generator.randrange(3)))
        message = read_message(text[:cut] + noise)
        assert message is None or isinstance(message, KINDS)
