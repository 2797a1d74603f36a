"""The paper's experiments: all of them, or those named.

``python -m experiments.figures [--quick] [NAME ...]``; quick takes a part of the data, into experiments/quick. With
``--published-peers`` density_scale and comparison measure featMAP's maps only, which takes minutes instead of hours:
the figures of other methods stay as they were published, and pictures show those of their maps that there are.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module

from .overview import write_overview
from .report import Report

EXPERIMENTS = (
    *("mnist_importance", "object_importance", "digit_one_frame", "adversarial"),
    *("density", "density_scale", "comparison", "single_cells"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a part of the data, into experiments/quick")
    parser.add_argument("--only-made", action="store_true", help="the comparison of the maps there are, without more")
    parser.add_argument("--published-peers", action="store_true", help="keep the figures of the other methods")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXPERIMENTS))
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(EXPERIMENTS)
    if unknown:
        parser.error(f"no such experiment: {', '.join(sorted(unknown))}; there are {', '.join(EXPERIMENTS)}")
    for name in arguments.names or EXPERIMENTS:
        print(f"== {name}", flush=True)
        began = time.perf_counter()
        report = Report(name, arguments.quick, arguments.only_made, arguments.published_peers)
        import_module(f".{name}.experiment", __package__).run(report)
        print(f"   {time.perf_counter() - began:.0f} s", flush=True)
    write_overview(EXPERIMENTS, arguments.quick)


if __name__ == "__main__":
    main()
