"""Prints one JSON line that compares two benchmarks of one Google Benchmark run.

usage: BENCHMARK --benchmark_format=json | compare.py NAME VALUE REFERENCE TARGET

VALUE and REFERENCE are names of benchmarks; of repetitions the fastest counts.
"""

import json
import sys


def fastest(runs, name):
    """Milliseconds of real time."""
    units = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
    return min(r["real_time"] * units[r["time_unit"]] for r in runs
               if r["name"] == name or r["name"].startswith(name + "/repeats"))


def main():
    name, value_name, reference_name, target = sys.argv[1:]
    runs = json.load(sys.stdin)["benchmarks"]
    value, reference = fastest(runs, value_name), fastest(runs, reference_name)
    print(json.dumps({
        "name": name, "value": round(value, 4), "reference": round(reference, 4),
        "ratio": round(value / reference, 3), "target": float(target),
        "higher_is_better": False, "unit": "ms"}))


if __name__ == "__main__":
    main()
