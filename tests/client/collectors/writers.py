"""A trace as the logs of other batch systems would have it."""

from __future__ import annotations

import datetime
import gzip
import pathlib
from dataclasses import dataclass

TRACE = pathlib.Path(__file__).parent / "data" / "nasa.swf.gz"


@dataclass(frozen=True)
class Job:
    number: int
    start: int
    end: int
    cpus: int
    user: str


def jobs() -> list[Job]:
    found, begin = [], 0
    with gzip.open(TRACE, "rt") as trace:
        for line in trace:
            if line.startswith("; UnixStartTime:"):
                begin = int(line.split()[2])
            elif line[0] != ";":
                fields = line.split()
                start = begin + int(fields[1])
                found.append(Job(int(fields[0]), start, start + int(fields[3]), int(fields[4]), "u" + fields[11]))
    return found


def _iso(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S")


def sacct(trace: list[Job]) -> str:
    lines = ["JobIDRaw|User|Account|Partition|QOS|Start|End|Suspended|AllocTRES"]
    for job in trace:
        times = f"{_iso(job.start)}|{_iso(job.end)}|00:00:00"
        lines.append(f"{job.number}|{job.user}|a|p||{times}|cpu={job.cpus},energy=7,mem=4G,node=1")
        lines.append(f"{job.number}.batch||a|||{times}|cpu={job.cpus}")
    return "\n".join(lines) + "\n"


def jobcomp(trace: list[Job]) -> str:
    return "".join(
        f"JobId={job.number} UserId={job.user}(1001) GroupId=g(100) Name=a job JobState=COMPLETED Partition=p TimeLimit=60 "
        f"StartTime={_iso(job.start)} EndTime={_iso(job.end)} NodeList=n1 NodeCnt=1 ProcCnt={job.cpus} WorkDir=/home/a b "
        f"ReservationName= Tres=cpu={job.cpus},node=1 Account=a QOS= WcKey= Cluster=c SubmitTime={_iso(job.start)} "
        f"EligibleTime={_iso(job.start)} DerivedExitCode=0:0 ExitCode=0:0\n"
        for job in trace
    )


def pbs(trace: list[Job]) -> str:
    lines = []
    for job in trace:
        given = f"user={job.user} group=g account=a jobname=x queue=p start={job.start} exec_host=n1/0*{job.cpus}"
        asked = f"exec_vnode=(n1:ncpus={job.cpus}:mem=1gb) Resource_List.ncpus={job.cpus}"
        for kind, at, more in (("S", job.start, ""), ("E", job.end, f" end={job.end} Exit_status=0")):
            logged = datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%m/%d/%Y %H:%M:%S")
            lines.append((at, f"{logged};{kind};{job.number}.pbs;{given} {asked}{more}\n"))
    return "".join(line for _, line in sorted(lines, key=lambda line: line[0]))


def condor(trace: list[Job]) -> str:
    return "".join(
        f'ClusterId = {job.number}\nProcId = 0\nGlobalJobId = "ap#{job.number}.0#{job.start}"\nOwner = "{job.user}"\n'
        f"CpusProvisioned = {job.cpus}\nRemoteWallClockTime = {job.end - job.start}.0\nCompletionDate = {job.end}\n"
        f"*** Offset = 0 ClusterId = {job.number} ProcId = 0\n"
        for job in trace
    )


def condor_runs(trace: list[Job]) -> str:
    """Jobs that were evicted once, as both histories have them, each run in between the lines of the other."""
    text = ""
    for job in trace:
        middle = (job.start + job.end) // 2
        runs = [(job.start, middle), (middle, job.end)]
        about = f'ClusterId = {job.number}\nProcId = 0\nGlobalJobId = "ap#{job.number}.0#{job.start}"\nOwner = "{job.user}"\n'
        about += f"CpusProvisioned = {job.cpus}\nJobStartDate = {job.start}\nJobUniverse = 5\n"
        for number, (start, end) in enumerate(runs):
            text += f"{about}NumShadowStarts = {number + 1}\nShadowBday = {start}\nEpochWriteDate = {end}\n"
            text += f'*** EPOCH ClusterId={job.number} ProcId=0 RunInstanceId={number} Owner="{job.user}" CurrentTime={end}\n'
        text += f"{about}RemoteWallClockTime = {job.end - job.start}.0\nCompletionDate = {job.end}\n"
        text += f"*** Offset = 0 ClusterId = {job.number} ProcId = 0\n"
    return text


def sge(trace: list[Job]) -> str:
    """A job on two hosts: beside its own record one for each of its tasks."""
    text = "# Version: 8.1.9\n"
    for job in trace:
        for part in ("1.n1", "1.n2", "NONE"):
            times = f"{job.start if part == 'NONE' else 0}:{job.start}:{job.end}"
            text += (
                f"p:n1:g:{job.user}:job:{job.number}:sge:0:{times}:0:0:{job.end - job.start}:{':'.join('0' * 17)}:a:"
            )
            text += f"defaultdepartment:mpi:{job.cpus}:0:0.0:0.0:0.0:-pe mpi {job.cpus}:0.0:{part}:0.0:0:0\n"
    return text


def lsf(trace: list[Job]) -> str:
    return "".join(
        f'"JOB_FINISH" "10.1" {job.end} {job.number} 1001 33554438 {job.cpus} {job.start} 0 0 {job.start} "{job.user}" '
        f'"p" "" "" "" "login" "" "" "" "" "10/1.{job.number}" 0 1 "{job.cpus}*n1" 64 60.0 "a ""job""" "run"{" -1" * 19} '
        f'"" "a" 0 {job.cpus} "" "" 0 2048 0 "" "" "" "" 0 "" 0 "" -1 "" "" "" "" -1 "" "" 5136 "" {job.start} "" "" 0\n'
        for job in trace
    )


FORM = """
[columns]
job = "number"
user = "who"
start = "from"
end = "to"
[tres]
cpu = "cpus"
"""


def table(trace: list[Job]) -> str:
    rows = "".join(f"{job.number},{job.user},{job.start},{job.end},{job.cpus}\n" for job in trace)
    return "number,who,from,to,cpus\n" + rows
