"""Writes the tables of `benchmarks/precision.py` from its results."""

from __future__ import annotations

from typing import Any

from provenance import made_line

from worldmodels.analysis.statistics.bootstrap import Estimate, estimate

Results = dict[str, dict[str, Any]]

TITLES = {
    "dreamer_model": "Dreamer's world model, `dreamer_small`",
    "simple_model": "SimPLe's world model, `simple_small`",
    "ppo_return": "PPO in the real game",
    "dreamer_return": "Dreamer's whole loop, `dreamer_small demo`",
}


def report(results: Results) -> str:
    """Every comparison of which both precisions have a seed in common."""
    processors = sorted({result["processor"] for result in results.values()})
    text = [
        "# What bfloat16 costs in quality",
        "",
        f"`python benchmarks/precision.py`, {'; '.join(processors)}. Both precisions have the same seeds, "
        "data and updates, in CoinRun with 20 levels. Figures are means over seeds with Student's 95 % intervals. The "
        "difference is bfloat16 minus float32, seed by seed; if its interval holds 0, these seeds show no difference. "
        "Losses are means of the last tenth of the updates. Image errors are mean squared errors of pixels from 0 to 1 "
        "on held-out levels. Returns are of 256 episodes on the training levels.",
        "",
    ]
    for what, amount in dict.fromkeys((result["what"], result["amount"]) for result in results.values()):
        text += _section(what, amount, results)
    return "\n".join([*text, made_line(results.values()), ""])


def _section(what: str, amount: int, results: Results) -> list[str]:
    chosen = [result for result in results.values() if (result["what"], result["amount"]) == (what, amount)]
    by_seed = {
        precision: {result["seed"]: result["metrics"] for result in chosen if result["precision"] == precision}
        for precision in ("float32", "bfloat16")
    }
    seeds = sorted(by_seed["float32"].keys() & by_seed["bfloat16"].keys())
    if not seeds:
        return []
    text = [
        f"## {TITLES[what]}, {amount:,} {chosen[0]['counts']}",
        "",
        f"Seeds {', '.join(map(str, seeds))}.",
        "",
        "| | float32 | bfloat16 | difference | of float32 | holds 0 |",
        "|---|---|---|---|---|---|",
    ]
    for name in by_seed["float32"][seeds[0]]:
        wide, narrow = ([by_seed[precision][seed][name] for seed in seeds] for precision in by_seed)
        text.append(_row(name.removeprefix("model/"), wide, narrow))
    return [*text, ""]


def _row(name: str, wide: list[float], narrow: list[float]) -> str:
    means = estimate(wide), estimate(narrow)
    difference = estimate([b - a for a, b in zip(wide, narrow, strict=True)])
    relative = f"{difference.mean / means[0].mean:+.1%}" if means[0].mean else "-"
    holds = "-" if difference.n < 2 else "yes" if difference.low <= 0 <= difference.high else "**no**"
    cells = (name, _interval(means[0]), _interval(means[1]), _interval(difference, "+"), relative, holds)
    return f"| {' | '.join(cells)} |"


def _interval(found: Estimate, sign: str = "") -> str:
    mean = f"{found.mean:{sign}.4g}"
    return mean if found.n < 2 else f"{mean} ({found.low:.4g} to {found.high:.4g})"
