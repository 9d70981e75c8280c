"""The items that a command line requests."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator

from priorityd_collect import programs
from priorityd_collect.files import Logs, Progress, Waits
from priorityd_collect.items import Fault, Item, Reached, Reader
from priorityd_collect.quantities import Zone, checked_zone, moment, span
from priorityd_collect.sources import pbs
from priorityd_collect.sources.condor import CondorOptions, CondorReader
from priorityd_collect.sources.jobcomp import JobcompReader
from priorityd_collect.sources.jupyterhub import JupyterHub, read_amounts
from priorityd_collect.sources.lsf import LsfReader
from priorityd_collect.sources.prometheus import Prometheus, read_queries
from priorityd_collect.sources.sacct import SacctReader
from priorityd_collect.sources.sge import SgeOptions, SgeReader, read_resources
from priorityd_collect.sources.swf import SwfReader
from priorityd_collect.sources.table import TableReader, read_form

#: Logs whose writers append whole lines: a line without an end is incomplete.
_GROWING = ("pbs", "jobcomp", "condor", "sge", "lsf")


class Plan:
    """The origin of the items."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Read the files that the options name; raises a Fault for a bad file."""
        self._options = options
        self.zone = checked_zone(options.time_zone)
        self._make = _reader(options, self.zone)
        self._prometheus = _prometheus(options) if options.kind == "prometheus" else None
        self._hub = _hub(options) if options.kind == "jupyterhub" else None
        if options.files and not options.follow:
            _check_files(options.files)

    def asks_programs(self) -> bool:
        """Whether the command line must give a begin."""
        return not self._options.files and self._hub is None

    def late(self, mark: float) -> str:
        """The reason that jobs that ended --overlap ago, or earlier, may appear later; empty = they do not.

        `mark` is the last mark. slurmctld keeps the ends of jobs as long as slurmdbd is unreachable. Only an outage
        longer than --overlap can hide them.
        """
        if self._options.kind != "sacct" or self._options.files:
            return ""
        if time.time() - mark <= span(self._options.overlap, "--overlap"):
            return ""
        return programs.unsent(self._options.program)

    def size(self) -> int:
        """The size of the input in bytes; 0 = unknown."""
        return 0 if not self._options.files or self._options.follow else self._logs().size()

    def items(self, since: float, progress: Progress, waits: Waits) -> Iterator[Item]:
        """All items of the input."""
        if self._options.files:
            return self._logs().follow(waits) if self._options.follow else self._of_files(progress)
        if self._hub is not None:
            return self._hub.items(time.time())
        if self._prometheus is not None:
            until = self._options.until
            return self._prometheus.items(since, moment(until, self.zone, "--until") if until else time.time())
        program = self._options.program
        if self._options.kind == "sacct":
            return programs.sacct(program, self._make, since, time.time())
        return programs.condor_history(program, self._make, since, time.time(), self._options.runs_since is not None)

    def _of_files(self, progress: Progress) -> Iterator[Item]:
        yield from self._logs().items(progress)
        yield Reached()

    def _logs(self) -> Logs:
        kind = self._options.kind
        return Logs(self._options.files, self._make, pbs.FILES if kind == "pbs" else None, kind in _GROWING)


def _check_files(paths: list[str]) -> None:
    for path in paths:
        if path != "-" and not os.access(path, os.R_OK):
            raise Fault(f"{path}: got no file that can be read, want one")


def _reader(options: argparse.Namespace, zone: Zone) -> Callable[[], Reader]:
    source = options.source
    match options.kind:
        case "sacct":
            return lambda: SacctReader(source, zone)
        case "jobcomp":
            return lambda: JobcompReader(source, zone)
        case "pbs":
            settings = pbs.PbsOptions(source, zone, options.amounts == "used", options.account_from)
            return lambda: pbs.PbsReader(settings)
        case "sge":
            sge = SgeOptions(source, options.account_from, read_resources(options.resource))
            return lambda: SgeReader(sge)
        case "lsf":
            return lambda: LsfReader(source)
        case "condor":
            # A fixed time: a job must be charged the same way in every run.
            runs_since = None if options.runs_since is None else moment(options.runs_since, zone, "--runs-since")
            condor = CondorOptions(source, options.user_from, runs_since)
            return lambda: CondorReader(condor)
        case "csv":
            form = read_form(options.form, zone)
            return lambda: TableReader(source, form)
        case _:
            return lambda: SwfReader(source)


def _prometheus(options: argparse.Namespace) -> Prometheus:
    return Prometheus(options.url, read_queries(options.queries), options.source, options.prometheus_token_file)


def _hub(options: argparse.Namespace) -> JupyterHub:
    return JupyterHub(options.url, read_amounts(options.amounts), options.source, options.jupyterhub_token_file)
