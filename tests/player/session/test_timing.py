"""The ticks of the clock, in time that the tests make up."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.player.session.loop import LatencyMeter, TickClock, mean_latency


def play(presses, rate, seconds, work=0.0):
    """Return the times at which ticks begin, under keys pressed at some times."""
    clock, now, ticks, waiting = TickClock(0.0), 0.0, [], sorted(presses)
    while now < seconds:
        begin = clock.next(False, rate)
        for press in waiting:
            if press < begin:
                begin = min(begin, max(press, clock.next(True, rate)))
        begin = max(begin, now)
        waiting = [press for press in waiting if press > begin]
        clock.ticked(begin, rate)
        ticks.append(begin)
        now = begin + max(work, 1e-9)
    return [tick for tick in ticks if tick < seconds]


def test_ticks_are_steady():
    assert play([], rate=10, seconds=0.35) == pytest.approx([0, 0.1, 0.2, 0.3])


def test_a_key_brings_one_tick_forward_and_no_other():
    assert play([0.17], rate=10, seconds=0.35) == pytest.approx([0, 0.1, 0.17, 0.3])


def test_it_waits_until_half_a_tick_before_that_one():
    assert play([0.12], rate=10, seconds=0.35) == pytest.approx([0, 0.1, 0.15, 0.3])
    assert play([0.12, 0.16], rate=10, seconds=0.45) == pytest.approx([0, 0.1, 0.15, 0.25, 0.4])


def test_many_keys_make_nothing_faster():
    presses = np.arange(0, 10, 0.013)
    assert len(play(presses, rate=10, seconds=10)) == pytest.approx(100, abs=1)


def test_what_is_late_is_not_made_up_for():
    assert play([], rate=10, seconds=0.7, work=0.25) == pytest.approx([0, 0.25, 0.5])
    clock = TickClock(0.0)
    clock.ticked(0.0, 10)
    clock.ticked(0.35, 10)
    assert clock.next(False, 10) == pytest.approx(0.35)
    clock.ticked(0.36, 10)
    assert clock.next(False, 10) == pytest.approx(0.45)


@pytest.mark.parametrize(("work", "rate", "milliseconds"), [(0.02, 10, 32.5), (0.08, 10, 112), (0.2, 10, 300)])
def test_the_mean_time_from_a_key_to_its_picture(work, rate, milliseconds):
    assert 1000 * mean_latency(work, rate) == pytest.approx(milliseconds)


def test_the_mean_time_is_what_random_keys_meet():
    waits, work, rate = [], 0.03, 15
    for press in np.random.default_rng(0).uniform(1, 2, 300):
        taken = next(tick for tick in play([press], rate, 3, work) if tick >= press)
        waits.append(taken - press + work)
    assert np.mean(waits) == pytest.approx(mean_latency(work, rate), abs=0.002)


def test_the_latency_is_averaged_over_the_last_ticks():
    meter = LatencyMeter()
    assert meter.text == ""
    for seconds in (5.0, *[0.08] * 30):  # the first tick compiles, and is forgotten after 30 others
        meter.add(seconds, rate=10)
    assert meter.text == "key to picture 112 ms"
