"""The output of `sacct -P`. The records and their ids are those of `prioctl import sacct`."""

from __future__ import annotations

from collections.abc import Iterator

from priorityd_collect.accounting import mebibytes, of_slurm
from priorityd_collect.items import RUNNING, UNUSED, Entry, Fault, Item, LeftOut, Line, Lost, Notice, unexpected
from priorityd_collect.quantities import Zone, duration, moment, name_of, number, repeated, says_nothing, slurm_tres
from priorityd_collect.records import Run, record_of, unnamed
from priorityd_collect.sources import gres

STEP = LeftOut("steps, which the rows of their jobs have in them")

WITHOUT_SIZE = "without a size: no AllocTRES, AllocCPUS, NCPUS, AllocNodes or NNodes"
UNKNOWN_NODES = "whose GPUs are not charged: they are requested for each node, and the number of nodes is not there"
#: Columns that may state GPUs.
_GPUS = {"alloctres", "allocgres", "reqtres", "reqgres"}
NO_GPUS = Notice("GPUs are not in the input: it has none of the columns AllocTRES, AllocGRES, ReqTRES, ReqGRES")

#: The heading must have one column of each group.
_WANTED = (("jobidraw", "jobid"), ("user",), ("account",), ("start",), ("end",))
COLUMNS = (
    "JobIDRaw,User,Account,Partition,QOS,Start,End,Suspended,AllocTRES,AllocCPUS,AllocNodes,"
    "Submit,Eligible,Timelimit,State,ExitCode,TotalCPU,ReqTRES,NodeList"
)


class SacctReader:
    """Reads one table with its heading."""

    def __init__(self, source: str, zone: Zone) -> None:
        """Make records of a source; the zone is for times without an offset."""
        self._source = source
        self._zone = zone
        self._heading: list[str] = []
        # A job that waits for the rows of its steps, which may have its largest MaxRSS.
        self._job: Entry | None = None

    def __call__(self, line: Line | None) -> Iterator[Item]:
        """Read the next line."""
        if line is None:
            yield from self._end_job()
        if line is None or not line.text.strip():
            return
        cells = [cell.strip() for cell in line.text.split("|")]
        names = [cell.lower() for cell in cells]
        # Of files that were put together each has its own.
        if not self._heading or {"user", "account", "start", "end"} <= set(names):
            yield from self._end_job()
            self._heading = _checked(names)
            if not _GPUS & set(self._heading):
                yield NO_GPUS
            return
        if len(cells) != len(self._heading):
            raise Fault(f"got {len(cells)} columns, want {len(self._heading)}")
        row = dict(zip(self._heading, cells, strict=True))
        if self._job is not None and self._is_step(row):
            self._add_step(row)
            yield STEP
            return
        yield from self._end_job()
        item = self._item(line, row)
        if "maxrss" in self._heading and isinstance(item, Entry):
            self._job = item
        else:
            yield item

    def _end_job(self) -> Iterator[Item]:
        job, self._job = self._job, None
        if job is not None:
            yield job

    def _is_step(self, row: dict[str, str]) -> bool:
        return self._job is not None and _text(row, "jobidraw", "jobid").startswith(self._job.record.job_id + ".")

    def _add_step(self, row: dict[str, str]) -> None:
        max_rss = mebibytes(_text(row, "maxrss"))
        if self._job is not None and max_rss is not None:
            accounting = self._job.record.job
            accounting.max_rss = max(accounting.max_rss, max_rss)

    def _item(self, line: Line, row: dict[str, str]) -> Item:
        job = _text(row, "jobidraw", "jobid")
        if not job:
            raise unexpected("JobIDRaw", "", "the number of a job")
        if "." in job:
            return STEP
        start, end = self._time(row, "Start"), self._time(row, "End")
        if start is None:
            return UNUSED
        if end is None:
            return RUNNING
        end = _true_end(row, start, end, self._zone)
        if end <= start:
            return UNUSED
        run = Run(job, start, end - _suspended(row, end - start), name_of(row, "user"), name_of(row, "account"))
        run.partition, run.qos = name_of(row, "partition"), _text(row, "qos")
        set_allocated(run, _text(row, "alloctres"))
        if not run.tres and run.billing is None:
            run.tres = _counted(row)
            if not run.tres:
                return Lost(WITHOUT_SIZE, line.place, line.text)
        lost = _add_gres(run, row) or unnamed(run)
        run.accounting = of_slurm(row, run, end, self._zone)
        return Entry(line.place, record_of(run, self._source), lost)

    def _time(self, row: dict[str, str], name: str) -> float | None:
        text = _text(row, name.lower())
        found = moment(text, self._zone, name) if text else 0
        return found if found > 0 else None


def set_allocated(run: Run, text: str) -> None:
    """The TRES that Slurm allocated, with the billing that it computed; energy is no allocation."""
    tres = slurm_tres(text)
    run.billing = tres.pop("billing", None)
    tres.pop("energy", None)
    run.tres = tres


def _checked(heading: list[str]) -> list[str]:
    for group in _WANTED:
        if not set(group) & set(heading):
            raise Fault(
                f"got no column {' or '.join(group)}, want a heading as `sacct -P --format={COLUMNS}` prints it"
            )
    return heading


def _text(row: dict[str, str], *names: str) -> str:
    return next((row[name] for name in names if not says_nothing(row.get(name, ""))), "")


def _true_end(row: dict[str, str], start: float, end: float, zone: Zone) -> float:
    """The end; one before its start is the later time of a repeated hour, if Elapsed says the same."""
    if end >= start:
        return end
    later = repeated(end, zone)
    elapsed = _elapsed(row)
    if elapsed is not None and later > start and abs(start + elapsed - later) <= 1:
        return later
    raise unexpected("End", _text(row, "end"), "Start or later, or the Elapsed of a run in which a clock went back")


def _elapsed(row: dict[str, str]) -> float | None:
    raw, text = _text(row, "elapsedraw"), _text(row, "elapsed")
    if raw:
        return number(raw, "ElapsedRaw")
    return duration(text, "Elapsed") if text else None


def _suspended(row: dict[str, str], span: float) -> float:
    text = _text(row, "suspended")
    seconds = duration(text, "Suspended") if text else 0.0
    if seconds > span:
        raise unexpected("Suspended", text, f"0 to {span:.0f} seconds, from its start to its end")
    return seconds


def _add_gres(run: Run, row: dict[str, str]) -> str:
    """Charge generic resources by the other columns where AllocTRES has none; return the loss."""
    if any(name.startswith("gres/") for name in run.tres):
        return ""
    found: dict[str, float] | None = {}
    if "allocgres" in row:
        found = gres.allocated(_text(row, "allocgres"), "AllocGRES")
    elif not _text(row, "alloctres"):
        asked = slurm_tres(_text(row, "reqtres"))
        found = {name: amount for name, amount in asked.items() if name.startswith("gres/") and amount}
        found = found or gres.asked(_text(row, "reqgres"), run.tres.get("node"), "ReqGRES")
    run.tres = {**run.tres, **(found or {})}
    return UNKNOWN_NODES if found is None else ""


def _counted(row: dict[str, str]) -> dict[str, float]:
    found = {}
    for tres, names in (("cpu", ("alloccpus", "ncpus")), ("node", ("allocnodes", "nnodes"))):
        text = _text(row, *names)
        if text and number(text, names[0]) > 0:
            found[tres] = number(text, names[0])
    return found
