"""Runs Slurm's and HTCondor's own programs and reads their output."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator

from priorityd_collect.files import Tail
from priorityd_collect.items import Fault, Item, Reached, Reader
from priorityd_collect.sources.sacct import COLUMNS

_SLICE = 86400.0
Argv = list[str]


def printed(argv: Argv, make: Callable[[], Reader], environment: dict[str, str] | None = None) -> Iterator[Item]:
    """The items of a program's output; a Fault if the program fails, whatever it printed."""
    with tempfile.TemporaryFile() as errors:
        try:
            program = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            raise Fault(f"{argv[0]}: {error.strerror}, want it in PATH or named by --program") from error
        assert program.stdout is not None
        try:
            yield from Tail(os.path.basename(argv[0]), program.stdout, make(), whole_lines=False).items(final=True)
        except BaseException:
            program.terminate()
            raise
        finally:
            program.stdout.close()
            status = program.wait()
        if status:
            errors.seek(0)
            raise Fault(f"{argv[0]}: ended with {status}: {errors.read(1000).decode(errors='replace').strip()}")


def sacct(program: str, make: Callable[[], Reader], since: float, until: float) -> Iterator[Item]:
    """Every job that ran between the two times, a day at a time; a job of several days appears on each."""
    while since < until:
        end = min(since + _SLICE, until)
        argv = [program, "--allusers", "--allocations", "--duplicates", "--parsable2", "--format", COLUMNS]
        argv += ["--starttime", _slurm_time(since), "--endtime", _slurm_time(end + 1)]
        yield from printed(argv, make, {"SLURM_TIME_FORMAT": "%s"})
        yield Reached(end)
        since = end


def unsent(sacct_program: str) -> str:
    """The reason that slurmctld may have ends of jobs that slurmdbd lacks; empty = none, or there is no sdiag."""
    sdiag = os.path.join(os.path.dirname(sacct_program), "sdiag")
    try:
        asked = subprocess.run(
            [sdiag],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=300,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "sdiag: got no answer from slurmctld"
    except OSError:
        return ""
    if asked.returncode:
        return f"sdiag: ended with {asked.returncode}: {asked.stderr[:1000].strip()}"
    # The queue has also the records that slurmctld is sending.
    queue = re.search(r"DBD Agent queue size: *([0-9]+)", asked.stdout)
    return f"slurmctld has {queue[1]} records for slurmdbd" if queue and int(queue[1]) else ""


def condor_history(program: str, make: Callable[[], Reader], since: float, until: float, runs: bool) -> Iterator[Item]:
    """Every job that ended or was removed after `since`, and with `runs` every run."""
    argv = [program, "-long", "-constraint", f"EnteredCurrentStatus >= {int(since)}"]
    yield from printed(argv, make)
    if runs:
        yield from printed([program, "-epochs", "-long", "-constraint", f"EpochWriteDate >= {int(since)}"], make)
    yield Reached(until)


def _slurm_time(seconds: float) -> str:
    """The time in this host's zone, as sacct reads it."""
    return datetime.datetime.fromtimestamp(int(seconds)).isoformat()
