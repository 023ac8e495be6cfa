"""The precision of a new run is decided by timing its own updates, and kept when the run continues."""

from __future__ import annotations

from dataclasses import replace

from worldmodels.acting.build import Parts, build_parts
from worldmodels.config.run_config import Precision, RunConfig
from worldmodels.core.processor import Processor, release_unused_memory
from worldmodels.envs import VectorEnv
from worldmodels.models.devices import computing_processor, has_gpu
from worldmodels.models.graph import custom_gradients, forget_custom_gradients
from worldmodels.training.estimate import RunEstimate, estimate_run

WORTH = 0.95
"""Share of float32's time that bfloat16 may take at most: a smaller gain is within what a measurement errs by."""


def build_measured(config: RunConfig, env: VectorEnv, initial_steps: int) -> tuple[Parts, RunEstimate, str]:
    """Build the parts of a new run in the precision that it asks for, or in the faster one.

    Returns:
        The parts, whose configuration says the precision; what the run will take; and the decision in words.
    """
    processor = computing_processor()
    if config.precision != "auto":
        parts, estimate = _measured(config, config.precision, env, initial_steps)
        slow = config.precision == "bfloat16" and not processor.multiplies_bfloat16
        note = ", which this processor emulates: tens of times slower than float32" if slow else ", as configured"
        return parts, estimate, f"Precision: {config.precision}{note}"
    unmeasured = custom_gradients()
    wide = _measured(config, "float32", env, initial_steps)
    if not processor.multiplies_bfloat16:
        return *wide, f"Precision: float32, since {processor} has no instructions for bfloat16"
    float32 = wide[1]
    # Dropped before the others are built, which then take its place in memory. It is seldom built again.
    del wide
    forget_custom_gradients(custom_gradients() - unmeasured)
    release_unused_memory()
    narrow = _measured(config, "bfloat16", env, initial_steps)
    share = _cost(narrow[1]) / _cost(float32)
    words = f"in bfloat16 the run takes {share:.2f} of float32's time on this processor"
    if share <= WORTH:
        return *narrow, f"Precision: bfloat16; {words}"
    return build_parts(replace(config, precision="float32"), env), float32, f"Precision: float32; {words}"


def _cost(estimate: RunEstimate) -> float:
    """Return the seconds that decide.

    Other programs change the wall time from one measurement to the next; the processors' own time they hardly do. But a
    GPU's time is no processor's.
    """
    return estimate.seconds if has_gpu() else estimate.processor_seconds


def _measured(config: RunConfig, precision: Precision, env: VectorEnv, initial_steps: int) -> tuple[Parts, RunEstimate]:
    parts = build_parts(replace(config, precision=precision), env)
    return parts, estimate_run(parts, config.env.num_envs, initial_steps)


def moved_warning(computed_by: str | None, precision: str, now: Processor) -> str | None:
    """Return what is to be known of a run that continues on this processor; None where there is nothing.

    Args:
        computed_by: the instructions with which its checkpoint was computed; None in runs older than this note.
        precision: of the run.
    """
    warnings = []
    if computed_by not in (None, now.instructions):
        warnings.append(
            f"This run was computed with {computed_by}, and {now} takes sums in another order. The run goes on, but "
            "its numbers are not bit for bit those of the other processor."
        )
    # Also where it did not move: it may have gone on in float32 meanwhile, and be in bfloat16 again.
    if precision == "bfloat16" and not now.multiplies_bfloat16:
        warnings.append(
            f"It computes in bfloat16, for which {now} has no instructions: that is tens of times slower than float32. "
            "To go on in float32 from here, add precision=float32."
        )
    return " ".join(warnings) or None
