"""The precision and the compiler of a new run are decided by timing its updates, and kept when the run continues."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import tensorflow as tf

from worldmodels.acting.build import Parts, build_parts
from worldmodels.config.run_config import RunConfig
from worldmodels.core.processor import Processor, release_unused_memory
from worldmodels.envs import VectorEnv
from worldmodels.models.devices import computing_processor, has_gpu
from worldmodels.models.graph import compile_updates, custom_gradients, forget_custom_gradients
from worldmodels.training.estimate import RunEstimate, estimate_run, in_words

WORTH = 0.95
"""Share of the time in float32, or without XLA, that is a gain: a smaller one is within the measurement's error."""


class MeasuredParts(NamedTuple):
    """The parts of a new run, whose configuration says what was decided."""

    parts: Parts
    estimate: RunEstimate
    """The run's time, memory and disk."""
    decision: str
    """The precision and the compiler, in words."""


def build_measured(config: RunConfig, env: VectorEnv, initial_steps: int) -> MeasuredParts:
    """Build the parts of a new run in the precision and with the compiler that it asks for, or in the faster ones."""
    if config.compile != "auto":
        return _in_faster_precision(config, env, initial_steps)
    plain = replace(config, compile="off")
    if config.devices > 1 or not has_gpu():  # on a processor XLA makes convolutions slower
        return _in_faster_precision(plain, env, initial_steps)
    try:
        compiled = _in_faster_precision(replace(config, compile="xla"), env, initial_steps)
    except tf.errors.OpError as error:
        measured = _in_faster_precision(plain, env, initial_steps)
        reason = str(error).splitlines()[0]
        return measured._replace(decision=f"{measured.decision}\nCompiler: off, since XLA refused: {reason}")
    chosen = compiled.parts.config
    parts, estimate = _measured(replace(chosen, compile="off"), env, initial_steps)
    share = compiled.estimate.seconds / estimate.seconds
    words = (
        f"the run takes {share:.2f} of the time with XLA, which compiled {in_words(compiled.estimate.building_seconds)}"
    )
    if share > WORTH:
        return MeasuredParts(parts, estimate, f"{compiled.decision}\nCompiler: off; {words}")
    compile_updates(True)
    return compiled._replace(decision=f"{compiled.decision}\nCompiler: XLA; {words}")


def _in_faster_precision(config: RunConfig, env: VectorEnv, initial_steps: int) -> MeasuredParts:
    """Build the parts in the precision that a run asks for, or in the faster one."""
    processor = computing_processor()
    if config.precision != "auto":
        slow = config.precision == "bfloat16" and not processor.multiplies_bfloat16
        note = ", which this processor emulates: tens of times slower than float32" if slow else ", as configured"
        return MeasuredParts(*_measured(config, env, initial_steps), f"Precision: {config.precision}{note}")
    unmeasured = custom_gradients()
    in_float32, in_bfloat16 = (replace(config, precision=name) for name in ("float32", "bfloat16"))
    wide = _measured(in_float32, env, initial_steps)
    if not processor.multiplies_bfloat16:
        return MeasuredParts(*wide, f"Precision: float32, since {processor} has no instructions for bfloat16")
    float32 = wide[1]
    # Dropped before the others are built, which then take its place in memory. It is seldom built again.
    del wide
    forget_custom_gradients(custom_gradients() - unmeasured)
    release_unused_memory()
    narrow = _measured(in_bfloat16, env, initial_steps)
    share = _cost(narrow[1]) / _cost(float32)
    words = f"in bfloat16 the run takes {share:.2f} of float32's time on this processor"
    if share <= WORTH:
        return MeasuredParts(*narrow, f"Precision: bfloat16; {words}")
    return MeasuredParts(build_parts(in_float32, env), float32, f"Precision: float32; {words}")


def _cost(estimate: RunEstimate) -> float:
    """Return the seconds that decide.

    Other programs change the wall time from one measurement to the next; the processors' own time they hardly do. But a
    GPU's time is no processor's.
    """
    return estimate.seconds if has_gpu() else estimate.processor_seconds


def _measured(config: RunConfig, env: VectorEnv, initial_steps: int) -> tuple[Parts, RunEstimate]:
    parts = build_parts(config, env)
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
