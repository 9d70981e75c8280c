"""A cluster's history with everything that logs have more than one line of, and how each batch system writes it down."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

BEGIN = 1_700_000_000
PLAIN, ARRAY, REQUEUED, SUSPENDED, CANCELLED, PARALLEL, RUNNING, GPU = range(8)
HOSTS = ("n1", "n2", "n3")


@dataclass(frozen=True)
class Run:
    start: int
    end: int
    suspended: int = 0


@dataclass
class Job:
    number: int
    user: str
    cpus: int
    kind: int
    task: int = 0
    gpus: int = 0
    runs: list[Run] = field(default_factory=list)

    @property
    def cpus_of_hosts(self) -> dict[str, int]:
        hosts = HOSTS if self.kind == PARALLEL else HOSTS[:1]
        return {host: self.cpus // len(hosts) for host in hosts}


def history(seed: str, jobs: int = 400) -> list[Job]:
    """Every kind comes as often; of an array three tasks."""
    chance = random.Random(seed)
    found = []
    for number in range(1, jobs + 1):
        kind = number % 8
        for task in (1, 2, 3) if kind == ARRAY else (0,):
            job = Job(number, f"u{chance.randrange(6)}", chance.randrange(1, 9) * 3, kind, task)
            job.gpus = chance.randrange(1, 5) if kind == GPU else 0
            start = BEGIN + chance.randrange(10**6)
            for _ in range({REQUEUED: 2, CANCELLED: 0}.get(kind, 1)):
                length = chance.randrange(60, 90_000)
                job.runs.append(Run(start, start + length, length // 3 if kind == SUSPENDED else 0))
                start += length + chance.randrange(1, 1000)
            found.append(job)
    return found


def truth(jobs: list[Job], amount: Callable[[Job], int], without_suspended: bool = False) -> dict[str, int]:
    """Seconds of each user, of what has ended."""
    sums: dict[str, int] = {}
    for job in jobs:
        for run in job.runs if job.kind != RUNNING else ():
            seconds = run.end - run.start - (run.suspended if without_suspended else 0)
            sums[job.user] = sums.get(job.user, 0) + amount(job) * seconds
    return {user: seconds for user, seconds in sums.items() if seconds}


def _id(job: Job) -> int:
    return job.number * 10 + job.task


def sacct(jobs: list[Job]) -> str:
    lines = ["JobID|JobIDRaw|User|Account|Start|End|Suspended|AllocTRES|State"]
    for job in jobs:
        given = f"cpu={job.cpus},node={len(job.cpus_of_hosts)}" + (f",gres/gpu={job.gpus}" if job.gpus else "")
        name = f"{_id(job)}" if not job.task else f"{job.number}_{job.task}"
        if job.kind == ARRAY and job.task == 1:
            lines.append(f"{job.number}_[4-9]|{_id(job) + 9}|{job.user}|a|Unknown|Unknown|00:00:00||PENDING")
        for run in job.runs:
            end = "Unknown" if job.kind == RUNNING else f"{run.end}"
            times = f"{run.start}|{end}|{datetime.timedelta(seconds=run.suspended)}"
            lines.append(f"{name}|{_id(job)}|{job.user}|a|{times}|{given}|COMPLETED")
            for step in ("batch", "extern", "0"):
                lines.append(f"{name}.{step}|{_id(job)}.{step}||a|{times}|{given}|COMPLETED")
        if not job.runs:
            lines.append(f"{name}|{_id(job)}|{job.user}|a|None|{BEGIN}|00:00:00||CANCELLED by 7")
    return "\n".join(lines)


def jobcomp(jobs: list[Job]) -> str:
    lines = []
    for job in jobs:
        hosts = len(job.cpus_of_hosts)
        for run in [run for run in job.runs if job.kind != RUNNING] or [Run(0, BEGIN)] * (job.kind == CANCELLED):
            start = _iso(run.start) if run.start else "Unknown"
            lines.append(
                f"JobId={_id(job)} UserId={job.user}(7) GroupId=g(7) Name=a JobState=COMPLETED Partition=p TimeLimit=60 "
                f"StartTime={start} EndTime={_iso(run.end)} NodeList=n NodeCnt={hosts} ProcCnt={job.cpus} WorkDir=/w "
                f"ReservationName= Gres={f'gpu:{job.gpus}' if job.gpus else ''} Account=a QOS= WcKey= Cluster=c"
            )
    return "\n".join(lines)


def _iso(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S")


def pbs(jobs: list[Job]) -> str:
    """An array's own E record comes after those of its subjobs; of a run that is run again an R record, whose end is its own time."""
    lines = []
    for job in jobs:
        name = f"{job.number}[{job.task}].s" if job.task else f"{job.number}.s"
        vnodes = "+".join(f"({host}:ncpus={cpus}:ngpus={job.gpus})" for host, cpus in job.cpus_of_hosts.items())
        asked = f"Resource_List.ncpus={job.cpus} Resource_List.select=1:ncpus={job.cpus}"
        for number, run in enumerate(job.runs):
            given = f"user={job.user} account=a queue=q start={run.start} exec_vnode={vnodes} {asked}"
            lines.append(f"{_american(run.start)};S;{name};{given}")
            if job.kind == RUNNING:
                continue
            last = number == len(job.runs) - 1
            lines.append(
                f"{_american(run.end)};{'E' if last else 'R'};{name};{given}" + (f" end={run.end}" if last else "")
            )
        if not job.runs:
            lines.append(f"{_american(BEGIN)};D;{name};requestor={job.user}@s")
        if job.task == 3:
            run = job.runs[0]
            lines.append(
                f"{_american(run.end)};E;{job.number}[].s;user={job.user} start={run.start} {asked} array_indices=1-3 end={run.end}"
            )
    return "\n".join(lines)


def _american(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%m/%d/%Y %H:%M:%S")


def sge(jobs: list[Job], scale: int = 1) -> str:
    """`scale`: 1000 as Univa's; of a parallel job a record for each of its tasks beside its own."""
    lines = ["# Version: 8.1.9", "#"]
    for job in jobs:
        for run in [run for run in job.runs if job.kind != RUNNING] or [Run(0, 0)] * (job.kind == CANCELLED):
            slots = job.cpus if run.start else 0
            request = f"-l gpu={job.gpus} " if job.gpus else ""
            for part in [f"{n}.{host}" for n, host in enumerate(job.cpus_of_hosts)] * (job.kind == PARALLEL) + ["NONE"]:
                times = f"{0 if part != 'NONE' else BEGIN * scale}:{run.start * scale}:{run.end * scale}"
                usage = ":".join("0" * 17)
                lines.append(
                    f"all.q:n1:g:{job.user}:a:{job.number}:sge:0:{times}:0:0:{run.end - run.start}:{usage}:chem:dep:mpi:"
                    f"{slots}:{job.task}:1.0:1.0:0.0:-U dep {request}-pe mpi {slots}:0.0:{part}:9.0:0:0"
                )
    return "\n".join(lines)


def sge_json(jobs: list[Job]) -> str:
    """The same as Grid Engine 9 writes it, in microseconds: what a job has not is missing."""
    lines = []
    for line in sge(jobs, 1_000_000).splitlines()[2:]:
        cells = line.split(":")
        row: dict[str, object] = {"job_number": int(cells[5]), "task_number": int(cells[35])}
        row |= {"start_time": int(cells[9]), "end_time": int(cells[10]), "owner": cells[3], "group": cells[2]}
        row |= {"account": cells[6], "qname": cells[0], "hostname": cells[1], "project": cells[31]}
        row |= {"slots": int(cells[34]), "category": cells[39], "failed": 0, "exit_status": 0}
        row |= {"pe_taskid": cells[41]} if cells[41] != "NONE" else {}
        lines.append(json.dumps(row | {"usage": {"usage": {"wallclock": 1.5, "cpu": 0.1}}}, separators=(",", ":")))
    return "\n".join(lines)


def lsf(jobs: list[Job]) -> str:
    lines = []
    for job in jobs:
        for run in [run for run in job.runs if job.kind != RUNNING] or [Run(0, BEGIN)] * (job.kind == CANCELLED):
            hosts = [f'"{cpus}*{host}"' for host, cpus in job.cpus_of_hosts.items()] if run.start else []
            held = " ".join([f"{len(hosts)}", *hosts])
            asked = f"rusage[ngpus_physical={job.gpus}.00]" if job.gpus else "order[r15s:pg]"
            lines.append(
                f'"JOB_FINISH" "10.1" {run.end} {job.number} 1 33554438 1 {BEGIN} 0 0 {run.start} "{job.user}" "q" "" "" "" "s" '
                f'"" "" "" "" "f" 1 "pac" {held} 64 60.0 "" "echo ""9 9"""{" -1" * 19} "" "p" 0 1 "" "" {job.task} 2048 0 '
                f'"" "" "" "" 0 "" 0 "" -1 "/u" "" "" "" -1 "" "" 5136 "" {run.start} "" "" 2 1032 "0" 1033 "0" 0 0 0 2048 '
                f'"select[type == any] {asked} " "" -1 "" -1 0 "" 0 0 "" 839 "" 0 "" 0.0 0.0 0.0 0.0 0.0 {held} -1 0 0 0'
            )
        lines.append(
            f'"JOB_RESIZE" "10.1" {BEGIN} {job.number} 0 {BEGIN} 1 "{job.user}" 0 {BEGIN} 1 "9*n1" 0 1 "9*n1" 0'
        )
    return "\n".join(lines)


def lsf_resized(seed: str, jobs: int = 200) -> tuple[str, dict[str, int]]:
    """Jobs that are resized up to three times while others are, and the slot seconds of their users."""
    chance = random.Random(seed)
    logged: list[tuple[int, str]] = []
    sums: dict[str, int] = {}
    for number in range(1, jobs + 1):
        user, index = f"u{chance.randrange(6)}", chance.randrange(3)
        start = last = BEGIN + chance.randrange(10**4)
        for left in range(chance.randrange(4), -1, -1):
            end = last + chance.randrange(1, 10**4)
            slots = {host: chance.randrange(1, 9) for host in HOSTS[: chance.randrange(1, 4)]}
            held = " ".join([f"{len(slots)}", *(f'"{count}*{host}"' for host, count in slots.items())])
            sums[user] = sums.get(user, 0) + sum(slots.values()) * (end - last)
            if left:
                change = f'1 "2*n9" {held} 1 "2*n9"'
                logged.append(
                    (end, f'"JOB_RESIZE" "10.1" {end} {number} {index} {start} 1 "{user}" 0 {last} {held} {change}')
                )
                last = end
            else:
                logged.append((end, _resized_finish(end, number, index, start, user, last, held)))
    return "\n".join(line for _, line in sorted(logged, key=lambda at: at[0])), sums


def _resized_finish(end: int, number: int, index: int, start: int, user: str, last: int, held: str) -> str:
    return (
        f'"JOB_FINISH" "10.1" {end} {number} 1 33554438 1 {BEGIN} 0 0 {start} "{user}" "q" "" "" "" "s" '
        f'"" "" "" "" "f" 1 "pac" {held} 64 60.0 "" "true"{" -1" * 19} "" "p" 0 1 "" "" {index} 2048 0 '
        f'"" "" "" "" 0 "" 0 "" -1 "/u" "" "" "" -1 "" "" 5136 "" {last} "" "" 2 1032 "0" 1033 "0" 0 0 0 2048 '
        f'"" "" -1 "" -1 0 "" 0 0 "" 839 "" 0 "" 0.0 0.0 0.0 0.0 0.0 {held} -1 0 0 0'
    )


def condor(jobs: list[Job]) -> str:
    """A job has its runs in one ad; the ad of its cluster stands beside it, and what a parallel job has is of a machine."""
    text = ""
    for job in jobs:
        if job.kind == RUNNING:
            continue
        hosts = len(job.cpus_of_hosts)
        wall = sum(run.end - run.start for run in job.runs)
        end = max((run.end for run in job.runs), default=0)
        ads = [f"ProcId = {job.task}\nRemoteWallClockTime = {wall}.0\nCompletionDate = {end}\n"]
        if job.kind == ARRAY and job.task == 1:
            ads.append("ProcId = -1\nRemoteWallClockTime = 0.0\n")
        for ad in ads:
            text += f'ClusterId = {job.number}\n{ad}QDate = 1\nOwner = "{job.user}"\nCpusProvisioned = {job.cpus // hosts}\n'
            text += f"JobUniverse = {11 if hosts > 1 else 5}\nMinHosts = {hosts}\nMaxHosts = {hosts}\n"
            text += f"GPUsProvisioned = {job.gpus}\n" if job.gpus else ""
            text += f"*** Offset = 0 ClusterId = {job.number} ProcId = {job.task}\n"
    return text


def table(jobs: list[Job]) -> str:
    lines = ["number,who,from,to,cores,gpus"]
    for job in jobs:
        for run in job.runs or [Run(0, 0)]:
            end = "" if job.kind in (RUNNING, CANCELLED) else f"{run.end}"
            lines.append(f"{_id(job)},{job.user},{run.start or ''},{end},{job.cpus},{job.gpus or ''}")
    return "\n".join(lines)


def swf(jobs: list[Job]) -> str:
    """A job that ran twice has a line that is the sum of its parts, and a line for each part."""
    lines = [f"; UnixStartTime: {BEGIN}"]
    for job in jobs:
        runs = [] if job.kind == RUNNING else job.runs
        whole = sum(run.end - run.start for run in runs) or -1
        tail = f"{job.cpus} -1 -1 -1 -1 -1 {{}} {job.user[1:]} 1 -1 -1 -1 -1 -1"
        if job.kind != RUNNING:
            lines.append(f"{_id(job)} 0 10 {whole} {tail.format(1 if runs else 5)}")
        for number, run in enumerate(runs) if len(runs) > 1 else ():
            lines.append(f"{_id(job)} -1 5 {run.end - run.start} {tail.format(3 if number else 2)}")
    return "\n".join(lines)
