"""The inside of a model as a part of a scene; its probabilities are the frame "latents", a row for each group."""

from __future__ import annotations

from typing import Any

from worldmodels.player.session.latents.latent_commands import LATENT_KEYS, LatentCommand
from worldmodels.player.session.latents.latents_snapshot import LatentsSnapshot
from worldmodels.player.view.panels.bars import BarRow
from worldmodels.player.view.panels.latent_texts import command_text, facts, is_known, likely_rows, reading_texts


def latents_part(snapshot: LatentsSnapshot) -> dict[str, Any]:
    """Return facts, classes, the likeliest ones of the chosen group as shares of a thousand, readings and buttons."""
    return {
        "facts": facts(snapshot),
        "classes": snapshot.classes,
        "held": [held >= 0 for held in snapshot.held],
        "chosen": snapshot.chosen,
        "likely": [_likely(row, snapshot) for row in likely_rows(snapshot)] if snapshot.classes else [],
        "readings": [
            {"name": each.name, "unit": each.unit, "texts": reading_texts(each), "known": is_known(each)}
            for each in snapshot.readings
        ],
        "words": [text for text in (snapshot.why_no_latents, snapshot.why_no_readings) if text],
        "buttons": [_button(command, snapshot) for command in LATENT_KEYS],
    }


def _likely(row: BarRow, snapshot: LatentsSnapshot) -> dict[str, Any]:
    own = row.name == f"class {snapshot.classes[snapshot.chosen]}"
    return {"name": row.name, "share": round(1000 * row.bars[0].value), "own": own}


def _button(command: LatentCommand, snapshot: LatentsSnapshot) -> dict[str, Any]:
    """Return the text of a button, and whether it does anything now."""
    does = bool(snapshot.classes) and (command is not LatentCommand.PASTE or snapshot.copied)
    return {"text": command_text(command, snapshot), "enabled": does}
