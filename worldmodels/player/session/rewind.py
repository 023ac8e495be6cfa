"""The past of a playthrough: the states of the last steps, and one that the person saved.

The same steps as models of another checkpoint live them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import NamedTuple

from worldmodels.player.session.playthrough import Playthrough
from worldmodels.player.session.snapshot import TimelineEntry
from worldmodels.player.session.worlds.saved_state import SavedState

CAPACITY = 1000
"""Steps that can be taken back."""


class _Moment(NamedTuple):
    """A state, and the number of the models that it is of."""

    state: SavedState
    models: int
    entry: TimelineEntry
    """Its newest entry, as it stands on the time line with what was taken back."""


class RewindBuffer:
    """The buffer saves states of a playthrough and loads them again.

    It does nothing if the environment cannot save its state.
    """

    def __init__(self, play: Playthrough) -> None:
        self._play = play
        self._past: deque[_Moment] = deque(maxlen=CAPACITY)
        self._future: list[_Moment] = []
        """The moments that were taken back, until another step is taken; the nearest one is the last."""
        self._saved: _Moment | None = None
        self._taken_to: TimelineEntry | None = None
        self._models = 0

    @property
    def line(self) -> tuple[tuple[TimelineEntry, ...], int]:
        """The time line, with what was taken back, and the place of the present on it."""
        now, present = tuple(self._play.history), self._entry
        whole = self._future[0].state.history if self._future else ()
        place = next((i for i, entry in enumerate(whole) if entry is present), None)
        line, place = (now, len(now) - 1) if place is None else (whole, place)
        recorded = self._play.recorded
        if recorded is None:
            return line, place
        last = self._future[0].state.real if line is whole else recorded.save()
        return (*line, *recorded.upcoming(last)), place

    def seek(self, place: int) -> bool:
        """Go to the moment that is nearest to a place on the time line; return False if none is kept.

        The recorded steps up to a place that was not played pass without forecasts.
        """
        present = self._moment()
        if present is None:
            return False
        moments = [*self._past, present, *reversed(self._future)]
        line = self.line[0]
        places = {id(entry): i for i, entry in enumerate(line)}
        there = [places.get(id(moment.entry)) for moment in moments]
        found = [(abs(at - place), i, at) for i, at in enumerate(there) if at is not None]
        if not found:
            return False
        if self._play.recorded:
            found = [one for one in found if one[2] <= place] or found
        _, chosen, at = min(found)
        self._past, self._future = deque(moments[:chosen], CAPACITY), moments[:chosen:-1]
        self._go_to(moments[chosen])
        if self._play.recorded and at < place:
            self.push()
            self._play.skip(sum(not entry.mark for entry in line[at + 1 : place + 1]))
        return True

    def seek_mark(self, direction: int) -> bool:
        """Go to the next mark before (-1) or after (1) the present; return False if there is none."""
        line, now = self.line
        marked = [i for i, entry in enumerate(line) if (entry.mark or entry.diverged) and (i - now) * direction > 0]
        return bool(marked) and self.seek(min(marked, key=lambda i: abs(i - now)))

    def push(self) -> None:
        """Add the current state, before the worlds change."""
        moment = self._moment()
        self._future.clear()
        if moment is not None:
            self._past.append(moment)

    def pop(self) -> bool:
        """Go back to the state that was added last and remove it; return False if there is none."""
        if not self._past:
            return False
        if (present := self._moment()) is not None:
            self._future.append(present)
        self._go_to(self._past.pop())
        return True

    def save(self) -> bool:
        """Save the current state for the person; return False if the environment cannot save its state."""
        self._saved = self._moment()
        return self._saved is not None

    def load(self) -> bool:
        """Go to the saved state, as often as wanted; return False if there is none. `pop` then undoes this."""
        if self._saved is None:
            return False
        self.push()
        self._go_to(self._saved)
        return True

    def change_models(self) -> None:
        """Let models that were changed live the present moment; the states before are of other models."""
        self._models += 1
        self._future.clear()
        live_again(self._play)

    def _moment(self) -> _Moment | None:
        state = self._play.save()
        return None if state is None else _Moment(state, self._models, self._entry)

    @property
    def _entry(self) -> TimelineEntry:
        """The present's entry; models that lived the moment again have another one of it."""
        return self._taken_to if self._future and self._taken_to else self._play.history[-1]

    def _go_to(self, moment: _Moment) -> None:
        self._play.load(moment.state)
        self._taken_to = moment.entry
        if moment.models != self._models:
            live_again(self._play)


def live_again(play: Playthrough) -> None:
    """Let the models observe the episode up to the last put-back, and predict from there to the present step.

    Unchanged models come to exactly the same. The steps alone are at most those that are kept and on the time line. A
    model without the real world begins again where it began.
    """
    if play.recorded and play.recorded.frozen:
        play.put_back()
    now, real, context = play.counters, play.real, tuple(play.real.context)
    tail = next((i for i, entry in enumerate(reversed(play.history)) if entry.mark), len(play.history))
    alone = 0 if real.frozen else min(now.since_put_back, len(context), tail)
    steps = [play.history.pop() for _ in range(tail)][:alone][::-1]
    mark = play.history.pop().mark if play.history and alone == now.since_put_back else "put back"
    for tracker in play.trackers:
        tracker.steps -= len(context) + 1
    for model in play.models:
        model.steps -= alone
    present, split = (real.observation, real.reward), len(context) - alone
    play.observe_episode(context[:split])
    real.observation = context[split - 1][1] if split else real.first
    before = now.real_return - sum(entry.real_reward for entry in steps)
    play.counters = replace(now, real_return=before, step=0 if real.frozen else now.step - alone)
    play.count_from_here(mark)
    for entry, (action, observation) in zip(steps, context[split:], strict=True):
        play.step_models(action)
        real.observation, real.reward = observation, entry.real_reward
        play.observe(action)
    real.observation, real.reward = present
    play.counters = replace(play.counters, action=now.action, real_return=now.real_return)
    if play.policy:
        play.policy.decide_again()
