"""Writes the tables of `benchmarks/scaling.py` from its records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from provenance import made_line

from speed.power_law import Law, fit_law
from speed.sizes import AXES

Records = dict[str, dict[str, Any]]


class Line(NamedTuple):
    """One part of one axis in one precision: records of ascending amounts."""

    axis: str
    part: str
    precision: str
    records: list[dict[str, Any]]

    def law(self, time: str = "wall_ms") -> Law | None:
        """The law of its wall or processor time; None of fewer than two amounts."""
        if len(self.records) < 2:
            return None
        times = [record["parts"][self.part][time] for record in self.records]
        return fit_law([record["amount"] for record in self.records], times)


def lines(records: Records) -> Iterator[Line]:
    """Everything that was measured."""
    for name, axis in AXES.items():
        for part in axis.parts:
            for precision in dict.fromkeys(record["precision"] for record in records.values()):
                found = [r for r in records.values() if (r["axis"], r["precision"]) == (name, precision)]
                if found:
                    yield Line(name, part, precision, sorted(found, key=lambda record: record["amount"]))


def laws(records: Records) -> list[dict[str, Any]]:
    """The laws, for JSON."""
    return [
        {**line._asdict(), "records": len(line.records), "time": time, "kind": law.kind, **law._asdict()}
        for line in lines(records)
        for time in ("wall_ms", "processor_ms")
        if (law := line.law(time))
    ]


def report(records: Records) -> str:
    """All tables, of whatever was measured by now."""
    machines = sorted({describe(record["machine"]) for record in records.values()})
    text = [
        "# How time grows with size",
        "",
        f"`python benchmarks/scaling.py`, {'; '.join(machines)}. Figures are medians over turns. One size "
        "varies around `dreamer_small` with 16 windows of 32 frames of 64 x 64. A policy update imagines 96 rollouts "
        "of 15 steps, or 64 if the batch has no more states. Operations are those of matrix products and convolutions, "
        "counted from the sizes of the layers; learning counts as three forward passes. Beside them stands the speed "
        "of a product of two matrices of 2048 x 2048, measured in turn with the rest. Processor time depends little on "
        "other work of the machine.",
        "",
        *summary(records),
    ]
    for line in lines(records):
        text += table(line)
    return "\n".join([*text, made_line(records.values()), ""])


def describe(machine: dict[str, Any]) -> str:
    return f"{machine['cores']} cores of {machine['processor']}, TensorFlow {machine['tensorflow']}"


def summary(records: Records) -> list[str]:
    text = [
        "## What grows how",
        "",
        "The exponent is that of a power law of the time of a call: over all amounts, and between the two largest. The "
        "constant is the time that a call takes at any amount; below the amount of the last column it is more than "
        "half of the time. Wall time comes first, then processor time. The word and the last column are of processor "
        "time.",
        "",
        "| axis | part | precision | grows | exponent | at the large end | a call costs | more than half below |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for line in lines(records):
        law, processor = line.law(), line.law("processor_ms")
        if not law or not processor:
            continue
        axis = AXES[line.axis]
        grows = processor.call and processor.kind != "constant"
        below = f"{amount(processor.dominated_below)} {axis.amount}" if grows else "-"
        text.append(
            f"| {axis.title} | {line.part} | {line.precision} | {processor.kind} | {law.exponent:.2f}, "
            f"{processor.exponent:.2f} | {law.last_exponent:.2f}, {processor.last_exponent:.2f} | "
            f"{milliseconds(law.call)}, {milliseconds(processor.call)} | {below} |"
        )
    return [*text, ""]


def table(line: Line) -> list[str]:
    axis = AXES[line.axis]
    text = [
        f"## {axis.title}: {line.part}, {line.precision}",
        "",
        "| | weights | GFLOP | wall time | processor time | GFLOP/s | of a large product | by processor time | calls |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for record in line.records:
        part = record["parts"][line.part]
        gflop, *work = _work(part, record["product"]) if "gflop" in part else ("-",) * 4
        times = (milliseconds(part["wall_ms"]), milliseconds(part["processor_ms"]))
        cells = (record["name"], amount(record["weights"]), gflop, *times, *work, str(part["count"]))
        text.append(f"| {' | '.join(cells)} |")
    return [*text, ""]


def _work(part: dict[str, Any], product: dict[str, Any]) -> tuple[str, ...]:
    """GFLOP, GFLOP/s, and their share of what the large product reaches, by wall time and by processor time."""
    speed, by_processor = (part[name] / product[name] for name in ("gflops", "gflop_per_processor_second"))
    share = f"{speed:.0%} of {product['gflops']:.0f}"
    return f"{part['gflop']:.3g}", f"{part['gflops']:.3g}", share, f"{by_processor:.0%}"


def amount(value: float) -> str:
    for limit, letter in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g}{letter}"
    return f"{value:.3g}"


def milliseconds(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.3g} ms"
