"""Writes emulator.tsv: what slurm-emulator 0.9.10 (PyPI, MIT licence, (c) 2025 OpenNode) computes.

    pip download --no-deps slurm-emulator==0.9.10 && unzip slurm_emulator-*.whl -d emulator
    PYTHONPATH=emulator python3 run_emulator.py > emulator.tsv

One account, one change from a quarter to the next, by PeriodicLimitsCalculator. Its quarters have
90 days. All amounts are node-hours.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
from datetime import datetime

os.environ["SLURM_EMULATOR_TIME_FILE"] = os.path.join(tempfile.mkdtemp(), "time.json")

from emulator.core.database import SlurmDatabase, UsageRecord  # noqa: E402
from emulator.core.time_engine import TimeEngine  # noqa: E402
from emulator.periodic_limits.calculator import PeriodicLimitsCalculator  # noqa: E402

BASES = (1000, 120_000, 2_000_003)
PARTS_USED = (0, 0.25, 1, 1.2, 7.5, 70)
HALF_LIVES = (7.5, 15, 90, 365)
GRACES = (0, 0.2)


def settings_of(base: int, used: float, half_life: float, grace: float) -> dict:
    database = SlurmDatabase()
    database.save_state = lambda: None
    database.add_account("chem", "", "")
    database.set_account_allocation("chem", base)
    database.get_account("chem").last_period = "2026-Q1"
    if used > 0:
        at = datetime(2026, 2, 1)
        database.add_usage_record(UsageRecord(
            account="chem", user="ann", node_hours=used, billing_units=used, timestamp=at, period="2026-Q1"))
    calculator = PeriodicLimitsCalculator(database, TimeEngine(datetime(2026, 4, 1)))
    calculator.half_life_days = half_life
    return calculator.calculate_periodic_settings("chem", {"carryover_enabled": True, "grace_ratio": grace})


def main() -> None:
    print("base", "used", "half_life_days", "grace", "total", "threshold", "grace_limit", sep="\t")
    for base, part, half_life, grace in itertools.product(BASES, PARTS_USED, HALF_LIVES, GRACES):
        used = base * part
        result = settings_of(base, used, half_life, grace)
        row = (base, used, half_life, grace, result["total_allocation"], result["qos_threshold"], result["grace_limit"])
        print(*(repr(float(value)) for value in row), sep="\t")


if __name__ == "__main__":
    sys.exit(main())
