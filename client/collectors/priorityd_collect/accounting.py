"""The accounting columns of a Slurm job beside its charge, as `prioctl import sacct` reads them.

A value that the service would reject is left out, so that the charge is still recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from google.protobuf.duration_pb2 import Duration

from priorityd import v1
from priorityd_collect.items import unexpected
from priorityd_collect.quantities import LONGEST, Zone, duration, moment, says_nothing, slurm_tres
from priorityd_collect.records import Run, timestamp

#: The states of a job that has ended.
_STATES = {
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "REQUEUED",
    "RESIZING",
    "REVOKED",
    "TIMEOUT",
}
_LONGEST_NODE_LIST = 32768
_HIGHEST_CODE = 65535
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([KMGTP]?)")
_POWERS = {"": -2, "K": -1, "M": 0, "G": 1, "T": 2, "P": 3}


def of_slurm(row: Mapping[str, str], run: Run, end: float, zone: Zone) -> v1.JobAccounting | None:
    """Read the columns of sacct by their names in lower case; `end` is the job's end time, suspended time included."""
    accounting = v1.JobAccounting(state=state(_text(row, "state")))
    _set_exit_code(_text(row, "exitcode"), accounting)
    _set_times(row, run.start, zone, accounting)
    limit = _time_limit(row)
    if limit is not None:
        accounting.time_limit.CopyFrom(seconds(limit))
    total_cpu = _text(row, "totalcpu")
    if total_cpu:
        accounting.total_cpu.CopyFrom(seconds(_cpu_time(total_cpu)))
    max_rss = mebibytes(_text(row, "maxrss"))
    if max_rss is not None:
        accounting.max_rss = max_rss
    _set_requested(_text(row, "reqtres"), run, accounting)
    nodes = _text(row, "nodelist")
    if len(nodes.encode()) <= _LONGEST_NODE_LIST:
        accounting.node_list = nodes
    if not accounting.ByteSize():
        return None
    if end > run.end:
        accounting.end_time.CopyFrom(timestamp(end))
    return accounting


def state(text: str) -> str:
    """Read the first word of `CANCELLED by 1000`; empty for a state that the service does not know."""
    word = text.partition(" ")[0]
    return word if word in _STATES else ""


def mebibytes(text: str) -> float | None:
    """Read `1234K`, `1.5G` or bytes; None for anything else."""
    match = _SIZE.fullmatch(text.upper())
    return float(match[1]) * 1024.0 ** _POWERS[match[2]] if match and len(text) <= 20 else None


def seconds(of: float) -> Duration:
    """Cut to microseconds."""
    micros = round(of * 1_000_000)
    return Duration(seconds=micros // 1_000_000, nanos=micros % 1_000_000 * 1000)


def _text(row: Mapping[str, str], name: str) -> str:
    text = row.get(name, "")
    return "" if says_nothing(text) else text


def _cpu_time(text: str) -> float:
    """Seconds of `1-02:03:04` or `03:04.567`."""
    whole, _, fraction = text.partition(".")
    if fraction and not (fraction.isascii() and fraction.isdecimal()):
        raise unexpected("TotalCPU", text, "a time such as 01:02.345")
    return duration(whole, "TotalCPU") + float(f"0.{fraction or 0}")


def _set_exit_code(text: str, accounting: v1.JobAccounting) -> None:
    code, _, signal = text.partition(":")
    if code.isdecimal() and len(code) < 10 and int(code) <= _HIGHEST_CODE:
        accounting.exit_code = int(code)
    if signal.isdecimal() and len(signal) < 10 and int(signal) <= _HIGHEST_CODE:
        accounting.exit_signal = int(signal)


def _set_times(row: Mapping[str, str], start: float, zone: Zone, accounting: v1.JobAccounting) -> None:
    submit, eligible = _text(row, "submit"), _text(row, "eligible")
    submitted = moment(submit, zone, "Submit") if submit else 0.0
    if submitted <= 0:
        return
    submitted = min(submitted, start)
    accounting.submit_time.CopyFrom(timestamp(submitted))
    first = moment(eligible, zone, "Eligible") if eligible else 0.0
    if first > 0:
        accounting.eligible_time.CopyFrom(timestamp(min(max(first, submitted), start)))


def _time_limit(row: Mapping[str, str]) -> float | None:
    text, minutes = _text(row, "timelimit"), _text(row, "timelimitraw")
    if text.upper() == "UNLIMITED":
        return LONGEST  # Which means UNLIMITED.
    if text.lower() == "partition_limit":
        return None
    if text:
        return duration(text, "Timelimit")
    return float(minutes) * 60 if minutes.isdecimal() and len(minutes) < 10 else None


def _set_requested(text: str, run: Run, accounting: v1.JobAccounting) -> None:
    asked = slurm_tres(text)
    if "cpu" in asked and asked["cpu"] != run.tres.get("cpu"):
        accounting.req_cpus = asked["cpu"]
    if "mem" in asked and asked["mem"] != run.tres.get("mem"):
        accounting.req_mem = asked["mem"]
