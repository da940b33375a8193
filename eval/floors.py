#!/usr/bin/env python3
"""Hold measured quality against the floors.

    floors.py SCORE.json [--floors floors.json]

SCORE.json is {"suites": {suite: {kind: {count: number}}}}. Prints one line a floor and ends with 1 where any is
broken, with 2 where a measure is missing (a suite that did not run is not a pass).
"""
import argparse
import json
import pathlib
import re
import sys


def measure(floor, suites):
    """The ratio that a floor speaks of, or None where nothing was counted."""
    kinds = suites.get(floor["suite"], {})
    chosen = [counts for kind, counts in kinds.items() if kind != "_total" and re.search(floor["kinds"], kind)]
    total = sum(counts.get(floor["per"], 0) for counts in chosen)
    if total == 0:
        return None
    return sum(counts.get(floor["of"], 0) for counts in chosen) / total


def holds(floor, value):
    return value <= floor.get("at_most", float("inf")) and value >= floor.get("at_least", float("-inf"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("score", type=pathlib.Path)
    parser.add_argument("--floors", type=pathlib.Path, default=pathlib.Path(__file__).with_name("floors.json"))
    args = parser.parse_args()
    suites = json.loads(args.score.read_text())["suites"]
    worst = 0
    for floor in json.loads(args.floors.read_text())["floors"]:
        value = measure(floor, suites)
        bound = f"<= {floor['at_most']:.2%}" if "at_most" in floor else f">= {floor['at_least']:.2%}"
        if value is None:
            verdict, shown, code = "MISSING", "-", 2
        elif holds(floor, value):
            verdict, shown, code = "ok", f"{value:.2%}", 0
        else:
            verdict, shown, code = "BROKEN", f"{value:.2%}", 1
        worst = max(worst, code)
        print(f"{verdict:8}{shown:>9}  {bound:>11}  {floor['name']}")
    return worst


if __name__ == "__main__":
    sys.exit(main())
