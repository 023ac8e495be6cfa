"""Measures how the time of an update grows with each size, beside the speed of a large matrix product.

    python benchmarks/scaling.py [--precision float32 bfloat16] [--only size_patch envs] [--again]

size_patch  models of about 1, 3, 10, 30 and 90 million weights, images as patches
size_conv   the same with DreamerV2's convolutions
batch       from 4 windows of 16 frames to 16 of 64
side        images of 32 to 128 pixels a side, as patches
envs        a step of the policy and of the games, for 1 to 256 environments

One factor varies at a time, around `dreamer_small` with 16 windows of 32 frames of 64 x 64. What belongs to one axis
takes turns, also in both precisions, and a large matrix product with it; models of 30 and 90 million weights have a
process of their own. Results are kept one by one in results/scaling.json: the same command again measures what is
missing. Everything takes about a quarter of an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from provenance import made_by
from speed.own_process import call
from speed.scaling_chart import draw
from speed.scaling_report import laws, report
from speed.sizes import AXES, SETTINGS, Setting, groups

from worldmodels.core.files.writing import write_atomic
from worldmodels.core.processor import this_processor


def key(setting: Setting, precision: str) -> str:
    return f"{setting.axis}/{setting.name}/{precision}"


def main() -> None:
    default = ["float32", "bfloat16"] if this_processor().multiplies_bfloat16 else ["float32"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", nargs="+", choices=("float32", "bfloat16"), default=default)
    parser.add_argument("--only", nargs="+", choices=AXES, default=list(AXES), metavar="AXIS")
    parser.add_argument("--largest", type=int, default=1680, help="width of a model (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=30, help="of turns for each group (default: %(default)s)")
    parser.add_argument("--again", action="store_true", help="measure also what is there")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "scaling")
    how = parser.parse_args()
    json_file = how.output.with_suffix(".json")
    records = json.loads(json_file.read_text())["records"] if json_file.exists() else {}
    chosen = [setting for setting in SETTINGS if setting.axis in how.only and setting.width <= how.largest]
    for group in groups(chosen):
        cells = [(setting, precision) for setting in group for precision in how.precision]
        wanted = [cell for cell in cells if how.again or key(*cell) not in records]
        if not wanted:
            continue
        start = time.perf_counter()
        found = call("speed.scaling_group:measure_group", wanted, how.seconds)
        records |= {key(*cell): record | {"made_by": made_by()} for cell, record in zip(wanted, found, strict=True)}
        print(f"{time.perf_counter() - start:5.0f} s  {', '.join(key(*cell) for cell in wanted)}", flush=True)
        # After each group: a later one that fails takes nothing away.
        write_results(records, how.output)
    write_results(records, how.output)
    print(report(records))


def write_results(records: dict[str, Any], stem: Path) -> None:
    order = [key(setting, precision) for setting in SETTINGS for precision in ("float32", "bfloat16")]
    records = {name: records[name] for name in order if name in records}
    stem.parent.mkdir(parents=True, exist_ok=True)
    tree = {"laws": laws(records), "records": records}
    write_atomic(stem.with_suffix(".json"), json.dumps(tree, indent=2, allow_nan=False) + "\n")
    write_atomic(stem.with_suffix(".md"), report(records))
    if records:
        draw(records, stem.with_suffix(".png"))


if __name__ == "__main__":
    main()
