"""The pane of latents: it shows the latents of a session's first model and changes those of its newest step."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from worldmodels.player.session.controls.key_table import KeyTable, LatentCommand
from worldmodels.player.session.controls.keys import REPEAT_DELAY
from worldmodels.player.session.events import GroupEvent, KeyEvent
from worldmodels.player.session.latents.latent_steps import FREE, LatentSteps, StepLatents
from worldmodels.player.session.latents.latents_snapshot import (
    DrawingSnapshot,
    LatentsSnapshot,
    ProbeReader,
    Reading,
    StepOrigin,
)
from worldmodels.player.session.playthrough import Playthrough
from worldmodels.player.session.rewind import RewindBuffer
from worldmodels.player.session.worlds.model_world import ModelWorld

NO_LATENTS = "this model draws no discrete latents"
NONE_HERE = "no step led to this frame, so there are no latents"
MOVES = {LatentCommand.PREVIOUS: -1, LatentCommand.NEXT: 1}


class LatentInspection:
    """The inspection of a model's latents: the chosen group, and the commands that change it.

    Attributes:
        shown: the pane is open, and takes its keys.
    """

    def __init__(self, play: Playthrough, rewind: RewindBuffer, keys: KeyTable, notify: Callable[[str], None]) -> None:
        self._play, self._rewind, self._keys, self._notify = play, rewind, keys, notify
        self.shown = False
        self._chosen = 0
        self._copied: tuple[int, ...] = ()
        self._moving: LatentCommand | None = None  # while its key is held
        self._ticks = self._page = 0

    def take(self, event: object) -> bool:
        """Take an event if it is for the pane; return whether it was."""
        if not self.shown:
            return False
        if isinstance(event, GroupEvent):
            self._chosen = min(event.group, self._groups - 1)
            return True
        command = self._keys.latent_command(event.key) if isinstance(event, KeyEvent) else None
        if not isinstance(event, KeyEvent) or command is None:
            return False
        if not event.pressed:
            # A key that went down before the pane was shown has to come up in the game, too.
            self._moving = None if command is self._moving else self._moving
            return False
        self._execute(command)
        return True

    def tick(self) -> bool:
        """Move on while a key is held; return whether there is something new to see."""
        self._ticks += 1
        if not (self.shown and self._moving and self._ticks > REPEAT_DELAY):
            return False
        self._move(MOVES[self._moving])
        return True

    def toggle(self) -> None:
        """Show or hide the pane; held groups stay held."""
        self.shown, self._moving = not self.shown, None

    def snapshot(self) -> LatentsSnapshot | None:
        """Return the pane of the first model; None while the pane is hidden."""
        if not self.shown:
            return None
        model, latents = self._model, self._model.latents
        now = latents.now if latents else None
        there = now is not None and FREE not in now.classes
        probes = model.probes
        return LatentsSnapshot(
            model=model.name,
            origin=_origin(latents),
            probabilities=now.probabilities if now and there else np.zeros((0, 1), np.float32),
            classes=now.classes if now and there else (),
            held=latents.held if latents and there else (),
            chosen=self._chosen,
            copied=bool(self._copied),
            why_no_latents="" if there else NONE_HERE if latents else NO_LATENTS,
            readings=self._readings(probes) if isinstance(probes, ProbeReader) else (),
            why_no_readings=probes if isinstance(probes, str) else "",
            drawing=self._drawing,
            page=self._page,
        )

    # ---- commands

    def _execute(self, command: LatentCommand) -> None:
        if command in MOVES:
            self._moving, self._ticks = command, 0
            self._move(MOVES[command])
            return
        if command is LatentCommand.MORE:
            self._page += 1
            return
        latents = self._model.latents
        now = latents.now if latents else None
        if latents is None or now is None or FREE in now.classes:
            self._notify(NONE_HERE if latents else NO_LATENTS)
        elif command is LatentCommand.COPY:
            self._copied = now.classes
            self._notify(f"latents copied; {self._keys.label(LatentCommand.PASTE)} pastes them at another moment")
        elif command is LatentCommand.PASTE and not self._copied:
            self._notify(f"no latents are copied yet: {self._keys.label(LatentCommand.COPY)} copies those of a moment")
        else:
            self._rewind.push()
            self._change(command, latents, now)

    def _change(self, command: LatentCommand, latents: LatentSteps, now: StepLatents) -> None:
        group, own = self._chosen, now.classes[self._chosen]
        name = f"group {group + 1}"
        if command is LatentCommand.HOLD:
            kept = latents.hold(group)
            done = f"{name} let go" if kept == FREE else f"{name} held at class {kept}"
            self._play.log.event(done)
            self._notify(done)
            return
        classes = list(now.classes)
        if command is LatentCommand.PASTE:
            name, classes = "latents", list(self._copied)
        else:
            classes[group] = FREE if command is LatentCommand.RESAMPLE else latents.next_likely(group)
        self._play.draw_again(classes)
        self._play.log.event("latents", list(latents.now.classes))
        new = latents.now.classes[group]
        drawn = f"class {new} again" if new == own else f"class {new} instead of {own}"
        self._notify("latents pasted" if command is LatentCommand.PASTE else f"{name}: {drawn}")

    def _move(self, places: int) -> None:
        self._chosen = (self._chosen + places) % self._groups

    # ---- what is seen

    @property
    def _model(self) -> ModelWorld:
        return self._play.models[0]

    @property
    def _groups(self) -> int:
        return len(self._model.latents.held) if self._model.latents else 1

    @property
    def _drawing(self) -> DrawingSnapshot | None:
        drawing = self._model.drawing
        return DrawingSnapshot(*(np.asarray(part)[0] for part in drawing)) if drawing else None

    def _readings(self, probes: ProbeReader) -> tuple[Reading, ...]:
        """Return the variables that probes read from the predicted state and from the state after the real frame.

        Variables that were too rare for a measurement of their probes are left out.
        """
        model, real = self._model, self._play.real
        imagined = probes.read(model.predicted).tolist()
        seen = [None] * len(imagined) if real.frozen else probes.read(model.tracker.state).tolist()
        truth = real.variables
        return tuple(
            Reading(name, unit, explained, imagined[i], seen[i], truth.get(name))
            for i, ((name, unit), explained) in enumerate(zip(probes.units.items(), probes.explained, strict=True))
            if not math.isnan(explained)
        )


def _origin(latents: LatentSteps | None) -> StepOrigin:
    if latents and latents.is_observed:
        return "read from the real frame"
    return "changed by hand" if latents and latents.changed else "drawn"
